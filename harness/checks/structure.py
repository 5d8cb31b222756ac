"""The fields of a reply: headings and labels in its text, JSON in its text, names and aliases."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import orjson

from harness.checks.replies import is_empty, values_of
from harness.checks.text import tokens
from harness.model import Json, JsonObject, Reply

ALIASES: dict[str, tuple[str, ...]] = {
    "diagnosis": ("diagnoses",),
    "hypotheses": ("hypothesis",),
    "next steps": ("next step", "recommended steps", "recommended actions"),
    "recommendations": ("recommendation",),
}
"""Other names of a field; spelling (`next_steps`, `nextSteps`, `Next Steps`) needs no entry."""

_LONGEST_HEADING = 160
_LONGEST_LABEL = 4
_ITEM = r"^\s*(?:[-*+]\s+|\d{1,3}[.)]\s+)?"
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+(?P<title>\S.*)$")
_BOLD = re.compile(_ITEM + r"(?P<mark>\*\*|__)(?P<title>[^*\n]+?)(?P=mark)(?P<rest>.*)$")
_LABEL = re.compile(_ITEM + r"(?P<title>[^\W\d_][\w /&-]{0,60}?)\s*[:\uff1a](?P<rest>.*)$")
_UNDERLINE = re.compile(r"^ {0,3}(?:=+|-{3,})\s*$")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_FENCE = re.compile(r"^[ \t]*```[ \t]*(?:json[c5]?)?[ \t]*\n(.*?)\n[ \t]*```", re.S | re.M | re.I)

Words = tuple[str, ...]


@lru_cache(maxsize=1024)
def words(name: str) -> Words:
    """A field's name as words.

    >>> words("nextSteps"), words("next_steps")
    (('next', 'steps'), ('next', 'steps'))
    """
    return tokens(_CAMEL.sub(" ", name))


def missing_fields(fields: Sequence[str], reply: Reply) -> list[str]:
    """The fields that are neither in the structured answer, in JSON in the text, nor headings."""
    documents = [reply.metadata, *json_in(reply.text)]
    keys = {words(key) for document in documents for key in _filled(document)}
    titles = list(_titles(reply.text))
    return [field for field in fields if not _is_there(field, keys, titles)]


def json_in(text: str) -> list[Json]:
    """The JSON values that a text consists of or holds in fenced blocks, the last first."""
    whole = _parsed(text)
    if whole is not None:
        return [whole]
    blocks = (_parsed(block) for block in reversed(_FENCE.findall(text)))
    return [block for block in blocks if block is not None]


def labelled(metadata: JsonObject) -> str:
    """Names and values of a structured answer as lines, names as words; empty fields left out."""
    lines = ([*words(key), ":", *values_of(metadata[key])] for key in _filled(metadata))
    return "\n\n".join(" ".join(line) for line in lines)


def _filled(document: Json) -> list[str]:
    if not isinstance(document, dict):
        return []
    return [str(key) for key, value in document.items() if not is_empty(value)]


def _is_there(field: str, keys: set[Words], titles: list[tuple[Words, bool]]) -> bool:
    names = [words(name) for name in (field, *_aliases(words(field)))]
    if any("".join(name) == "".join(key) for name in names for key in keys):
        return True
    return any(_entitles(name, title, heading) for name in names for title, heading in titles)


def _aliases(field: Words) -> tuple[str, ...]:
    for name, others in ALIASES.items():
        family = (name, *others)
        if field in {words(each) for each in family}:
            return family
    return ()


def _entitles(name: Words, title: Words, heading: bool) -> bool:  # noqa: FBT001 - the pair's flag
    """A heading may say more around the name; a label only a little before it."""
    if not heading:
        return len(title) <= _LONGEST_LABEL and title[-len(name) :] == name
    return any(title[i : i + len(name)] == name for i in range(len(title) - len(name) + 1))


def _titles(text: str) -> Iterator[tuple[Words, bool]]:
    """What entitles a piece of the text.

    Yields:
        The title's words, where something stands under or behind it; True marks headings.
    """
    lines = text.split("\n")
    for number, line in enumerate(lines):
        title, rest, heading = _title(lines, number)
        if title and (rest or _has_body(lines, number)):
            yield words(title), heading
        elif _UNDERLINE.match(line[:_LONGEST_HEADING]) and number and _has_body(lines, number):
            yield words(lines[number - 1][:_LONGEST_HEADING]), True


def _title(lines: list[str], number: int) -> tuple[str, str, bool]:
    line = lines[number][:_LONGEST_HEADING]
    if found := _HEADING.match(line):
        return found["title"], "", True
    if found := _BOLD.match(line):
        return found["title"], found["rest"].strip(" :\uff1a"), True
    if found := _LABEL.match(line):
        return found["title"], found["rest"].strip(), False
    return "", "", False


def _has_body(lines: list[str], number: int) -> bool:
    """Whether the first line below that is not blank is text and not the next heading."""
    below = next((line for line in lines[number + 1 :] if not _is_rule(line)), "")
    return bool(below) and not _HEADING.match(below[:_LONGEST_HEADING])


def _is_rule(line: str) -> bool:
    return not line.strip() or _UNDERLINE.match(line[:_LONGEST_HEADING]) is not None


def _parsed(text: str) -> Json:
    """The JSON object or array that a text is, or None."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
