"""Paths of resources: a method's path below its version, with its parameters filled in.

A resource is kept by the path it is read from (`files/1a`, `projects/p/secrets/s`), so that
collections are what is one step above.
"""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from mockserver.googleapi import Method
from mockserver.model import Json

_VERSION = re.compile(r"^(?:[\w.-]+/)*?v\d+\w*(?:/|$)")
_PLACEHOLDER = re.compile(r"\{(\+?)([\w.]+)\}")
_VERB = re.compile(r":[A-Za-z]\w*$")
ANY = "-"
"""Stands for a part of a path that a snapshot does not tell."""


def template_of(method: Method) -> str:
    """A method's path below its version, without a custom verb.

    The path `drive/v3/files/{fileId}` is the template `files/{fileId}`.
    """
    path = method.path.removeprefix(method.document.service_path)
    return _VERB.sub("", _VERSION.sub("", path, count=1))


def custom_verb(method: Method) -> str:
    """The verb after the colon of a path, or an empty string."""
    found = _VERB.search(method.path)
    return found.group()[1:] if found else ""


def placeholders(template: str) -> tuple[str, ...]:
    """The parameters of a template, in order.

    >>> placeholders("projects/{project}/zones/{+zone}")
    ('project', 'zone')
    """
    return tuple(hit[2] for hit in _PLACEHOLDER.finditer(template))


def is_named(template: str) -> bool:
    """Whether a template starts with a resource name, as those of the newer APIs do."""
    return template.startswith("{+")


def fill(template: str, params: Mapping[str, Json]) -> str:
    """A template with its parameters; a part that is not known is `-`.

    A slash inside a plain parameter stays within its segment.

    >>> fill("b/{bucket}/o/{object}", {"bucket": "a", "object": "x/y"})
    'b/a/o/x%2Fy'
    """

    def value(hit: re.Match[str]) -> str:
        text = str(params.get(hit[2], ANY))
        return text if hit[1] else quoted(text)

    return _PLACEHOLDER.sub(value, template)


def quoted(name: str) -> str:
    """A name as one segment of a path.

    >>> quoted("nginx/requests")
    'nginx%2Frequests'
    """
    return name.replace("/", "%2F")


def in_segments(path: str, pattern: str) -> str:
    """A path of as many segments as its pattern has; slashes beyond them are of the last one.

    >>> in_segments("projects/p/metrics/nginx/requests", "^projects/[^/]+/metrics/[^/]+$")
    'projects/p/metrics/nginx%2Frequests'
    """
    if not pattern.endswith("[^/]+$") or ".*" in pattern:
        return path
    count = pattern.replace("[^/]", "").count("/")
    *above, last = path.split("/", count)
    return "/".join([*above, quoted(last)])


def path_of_link(link: str) -> str:
    """The path below the version that a `selfLink` tells, or an empty string.

    >>> path_of_link("https://www.googleapis.com/compute/v1/projects/p/zones/z/instances/i")
    'projects/p/zones/z/instances/i'
    """
    path = urlsplit(link).path.lstrip("/")
    found = _VERSION.match(path)
    return path[found.end() :] if found else ""


def meets(path: str, other: str) -> bool:
    """Whether two paths can be the same one, where `-` on either side is anything.

    At the beginning it is any parent, of however many segments.

    >>> meets("calendars/primary/events", "calendars/-/events")
    True
    >>> meets("projects/p/sinks", "-/sinks")
    True
    """
    if path == other:
        return True
    one, two = path.split("/"), other.split("/")
    if one[0] == ANY:
        two = two[max(0, len(two) - len(one)) :]
    elif two[0] == ANY:
        one = one[max(0, len(one) - len(two)) :]
    return len(one) == len(two) and all(
        left == right or ANY in {left, right} for left, right in zip(one, two, strict=True)
    )
