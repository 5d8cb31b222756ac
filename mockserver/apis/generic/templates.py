"""Templates of recorded values: what identifies a recording becomes a variable, or is left out."""

import re
from collections.abc import Mapping

import orjson

from mockserver.googleapi.facts import given_variables
from mockserver.model import Json

_VARIABLE = re.compile(r"(?<!\$)\{\w+\}")
_TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
_UUID = re.compile(r"^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$")
_DIGITS = re.compile(r"^\d{9,}$")
_TAGS = re.compile(r"(?:^|[a-z])(?:etag|fingerprint|hash)$", re.IGNORECASE)
_PEOPLE = frozenset({"user", "requestedBy", "userByEmail", "user_email", "creator", "lastModifier"})
PERSONAL = re.compile(
    r"\$|\d{9,}|@(?!type)[\w.-]*(?<!gserviceaccount\.com)$|(?:^|[^\d.])(?!0\.0\.0\.0)(?:\d+\.){3}\d+"
    r"|-----BEGIN|\n|[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{30}|abcd|CREATE |placeholder"
    r"|[a-z]{5,}\d{4}(?!\d)|-[0-9a-f]{8}(?![0-9a-f])|\bmock|test|sample|example|kcc|cnrm"
    r"|\buser:|[0-9a-f]{4,}:[0-9a-f:]+",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"^(?:\d{1,3}\.){3}\d{1,3}$")
_SURE = re.compile(
    r"^[A-Z0-9_.#/:-]*$|^https://[\w.-]*googleapis\.com/|^type\.googleapis\.com/|^\d"
)
_DERIVED = frozenset({"first_zone", "region", "zone"})
_PLAIN = re.compile(r"^[A-Z][A-Z0-9_]*$")


class Unsaid(Exception):  # noqa: N818  (it is no mistake: a value that no fact may hold)
    """A value that is of the recording alone."""


class Names:
    """What identifies a resource in a recording, and the templates of values that hold it.

    Attributes:
        variables: What stands for what.
        plain: The same without what follows from other parts of a path: a location is a location,
            be it a zone or a region.
    """

    def __init__(self, variables: Mapping[str, str], *, is_plain: bool = False) -> None:
        self.variables = variables
        rest = {name: value for name, value in variables.items() if name not in _DERIVED}
        self.plain = self if is_plain else Names(rest, is_plain=True)
        ordered = sorted(
            (
                (value, name)
                for name, value in variables.items()
                if (len(value) > 2 or name == "version") and value != name
            ),
            key=lambda pair: (-len(pair[0]), len(pair[1]), pair[1]),
        )
        self._names: dict[str, str] = {}
        for value, name in ordered:
            self._names.setdefault(value, name)
        parts = "|".join(re.escape(value) for value in self._names)
        self._pattern = (
            re.compile(rf"(?<![A-Za-z0-9])(?:{parts})(?![A-Za-z0-9])") if parts else None
        )

    def template(self, value: Json, key: str) -> Json:
        """The template of a value; raises Unsaid for one that only this recording has."""
        if isinstance(value, dict):
            found = {}
            for name, each in value.items():
                if PERSONAL.search(name):
                    raise Unsaid
                found[name] = self.template(each, name)
            return found
        if isinstance(value, list):
            return [self.template(each, key) for each in value]
        return self._text(value, key) if isinstance(value, str) else value

    def forms(self, said: Json, given: Json, key: str) -> list[str]:
        """The templates that make what was said of what was given; the plainest comes first."""
        if said == given:
            found: list[Json] = ["{given}"]
        else:
            found = []
        project, number = self.variables.get("project", ""), self.variables.get("number", "")
        for name, text in given_variables(given, project, number).items():
            if isinstance(said, str) and len(text) > 2 and said.endswith(text):
                head = self.abstract(said.removesuffix(text))
                # what stands behind a host is a path, also where a request has no more than that
                if not is_personal(head) and not (head and name == "given" and "/" in text):
                    found.append(f"{head}{{{name}}}")
        if not found:
            try:
                found = [self.template(said, key)]
            except Unsaid:
                return [""]
        return [orjson.dumps(each, option=orjson.OPT_SORT_KEYS).decode() for each in found]

    def _text(self, value: str, key: str) -> str:
        if _TIME.match(value):
            return "{time}"
        if _TAGS.search(key):
            return "{hash}"
        if key in _PEOPLE:
            return "{caller}"
        if _DIGITS.match(value) and value not in self._names:
            made = "millis" if key.endswith("Time") else "uuid" if key == "uid" else "digits"
            return f"{{{made}}}"
        if _UUID.match(value):
            return "{uuid}"
        if _ADDRESS.match(value) and value not in self._names:
            return "{address}"
        if "{" in value.replace("${", ""):
            raise Unsaid
        found = self.abstract(value)
        if is_personal(found):
            raise Unsaid
        return found

    def abstract(self, value: str) -> str:
        """A text with variables for what it has of the resource's names."""
        if self._pattern is None or _PLAIN.match(value):
            return value
        return self._pattern.sub(lambda hit: f"{{{self._names[hit[0]]}}}", value)


def is_personal(template: str) -> bool:
    """Whether a text has something that only its recording has, beside its variables.

    >>> is_personal("projects/{project}/zones"), is_personal("me@example.com")
    (False, True)
    """
    return bool(PERSONAL.search(_VARIABLE.sub("", template)))


def is_sure(template: Json) -> bool:
    """Whether one recording is enough to say a value: what is no text, or one of a machine."""
    if isinstance(template, dict):
        return all(is_sure(each) for each in template.values())
    if isinstance(template, list):
        return all(is_sure(each) for each in template)
    return not isinstance(template, str) or bool(_SURE.match(_VARIABLE.sub("", template)))


def sayable(names: Names, value: Json, more: Mapping[str, str]) -> Json:
    """The template of an object, without the fields that only its recording has."""
    if isinstance(value, dict):
        found = {}
        for name, each in value.items():
            if PERSONAL.search(name):
                continue
            if isinstance(each, dict):
                found[name] = sayable(names, each, more)
                continue
            if isinstance(each, list):
                several = [sayable(names, one, more) for one in each]
                if None not in several:
                    found[name] = several
                continue
            template = sayable_leaf(names, each, name, more)
            if template is not None:
                found[name] = template
        return found
    return sayable_leaf(names, value, "", more)


def sayable_leaf(names: Names, value: Json, key: str, more: Mapping[str, str]) -> Json:
    """The template of a text, number or flag; None where only its recording has it."""
    for name, text in more.items():
        if isinstance(value, str) and value.endswith(text):
            head = names.abstract(value.removesuffix(text))
            return None if is_personal(head) else f"{head}{{{name}}}"
    if value == names.variables.get("verb"):
        return "{verb}"
    try:
        return names.template(value, key)
    except Unsaid:
        return None
