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
        return text if hit[1] else text.replace("/", "%2F")

    return _PLACEHOLDER.sub(value, template)


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

    >>> meets("calendars/primary/events", "calendars/-/events")
    True
    """
    if path == other:
        return True
    one, two = path.split("/"), other.split("/")
    return len(one) == len(two) and all(
        left == right or ANY in {left, right} for left, right in zip(one, two, strict=True)
    )
