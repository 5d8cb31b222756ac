"""What a program makes anew in each run, in texts for models: ids, temporary paths, ports."""

import re
from typing import NamedTuple

from mockserver.cassettes.matching.time_stamps import map_texts, texts_in
from mockserver.model import Json


class VaryingKind(NamedTuple):
    """Values of one kind that are new in each run.

    Attributes:
        name: What a reader calls one.
        value: A regular expression of them.
        lead: One of what stands before and does not count either, such as the folder.
        kept: One of what stands between and counts.
        proof: A regular expression that is found in one of two values that differ, since others
            may look so and mean something; empty where nothing else looks so.
    """

    name: str
    value: str
    lead: str = ""
    kept: str = ""
    proof: str = ""


_TEMPORARY = (
    r"(?:(?:/private)?/(?:tmp|var/tmp|var/folders/[^/\s]+/[^/\s]+/T|dev/shm)/"
    r"|[A-Za-z]:\\+Users\\+[^\\\s]+\\+AppData\\+Local\\+Temp\\+)"
)
_RUN = r"(?:[Rr]un|[Pp]rocess|PID|[Pp]id|[Tt]rial|[Aa]ttempt|[Ii]nvocation|[Ww]orker)"

KINDS = (
    VaryingKind("temporary path", r"pytest-of-[\w-]+/pytest-\d+", _TEMPORARY),
    VaryingKind("temporary path", r"\w{6,}", _TEMPORARY, r"tmp\.?"),
    VaryingKind(
        "temporary path",
        r"\w{6,}(?![\w-])",
        _TEMPORARY,
        r"[\w.+-]*?[-_.]",
        r"\d|[a-z][A-Z]|^(?=\w*_)\w{8}$",
    ),
    VaryingKind("home folder", r"[\w.-]*\w", r"(?:/home/|/Users/|[A-Za-z]:\\+Users\\+)"),
    VaryingKind("id", r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"),
    VaryingKind("id", r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b"),
    VaryingKind("port", r":\d{2,5}\b", kept=r"(?:\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0)|\[::1\])"),
    VaryingKind("host name", r"\w[\w.-]*\b", kept=r"\b[Hh]ost ?name(?: is|[:=]) ?"),
    VaryingKind(
        "number of a run",
        r"\d+(?![\w-])",
        kept=rf"\b{_RUN}(?:[ _-](?:id|ID|no\.?|number))?[ :=#_-]{{1,3}}",
    ),
    VaryingKind(
        "id",
        r"(?<![\w-])(?=[\w-]{0,20}[A-Z])(?=[\w-]{0,20}[a-z])[A-Za-z0-9_-]{21}(?![\w-])",
        proof=r"\d",
    ),
    VaryingKind(
        "id", r"[A-Za-z0-9]{8,}\b", kept=r"\b[A-Za-z][A-Za-z0-9_]*_", proof=r"\d[A-Za-z]|[a-z][A-Z]"
    ),
    VaryingKind("id", r"[0-9a-fA-F]{8,128}\b", kept=r"\b(?:0x)?", proof=r"[a-fA-F]\d|\d[a-fA-F]"),
)
"""The table: UUIDs, ULIDs, nanoids, ids with a prefix, hex, and what a machine or a run is called.
The first that fits at a place holds. To add one: its line."""

_ANY = re.compile(
    "|".join(
        f"{each.lead}(?P<kept{at}>{each.kept})(?P<value{at}>{each.value})"
        for at, each in enumerate(KINDS)
    )
)
_LONGEST_WORD = 4096
_PROOFS = tuple(re.compile(each.proof) for each in KINDS)


class VaryingValue(NamedTuple):
    """A value in a text that may be new in each run.

    Attributes:
        text: As it stands there.
        kind: Its place in the table.
    """

    text: str
    kind: int


def mask_varying(value: Json) -> Json:
    """A value with texts whose values that vary are replaced by their kinds; names of members stay.

    >>> mask_varying("Work in /tmp/agent-k3x9q_1a, run 7, for localhost:50123")
    'Work in agent-<temporary path>, run <number of a run>, for localhost<port>'
    """
    return map_texts(value, _mask_text)


def varying_in(value: Json) -> tuple[VaryingValue, ...]:
    """The values that vary in the texts of a value; members in the order of their names."""
    return tuple(
        VaryingValue(match[f"value{at}"], at)
        for text in texts_in(value)
        if not _is_data(text)
        for match in _ANY.finditer(text)
        for at in (_kind(match),)
    )


def varied_values(recorded: Json, asked: Json) -> dict[str, VaryingValue] | None:
    """How the values that vary in one text became those of another that is masked alike.

    A value that became another may also stand there as it was recorded: an answer has told it.

    Returns:
        The new value by the recorded one; None where one value would be two, two would be one, or
        something that differs does not look as if chance had made it.

    >>> varied_values("Run 7, then run 7", "Run 8, then run 8")
    {'7': VaryingValue(text='8', kind=8)}
    >>> varied_values("Run 7, then run 7", "Run 8, then run 9") is None
    True
    """
    ours, theirs = varying_in(recorded), varying_in(asked)
    if len(ours) != len(theirs):
        return None
    made: dict[str, VaryingValue] = {}
    for old, new in zip(ours, theirs, strict=True):
        if old.text == new.text:
            continue
        proof = _PROOFS[old.kind]
        if old.kind != new.kind or not (proof.search(old.text) or proof.search(new.text)):
            return None
        if made.setdefault(old.text, new).text != new.text:
            return None
    kept = {old.text for old in ours} - made.keys()
    values = kept.union(each.text for each in made.values())
    return made if len(values) == len(kept) + len(made) else None


def _mask_text(text: str) -> str:
    return text if _is_data(text) else _ANY.sub(_mask, text)


def _is_data(text: str) -> bool:
    """Whether a text is that of an image, say: looking for ids there takes seconds."""
    return len(text) > _LONGEST_WORD and " " not in text


def _mask(match: re.Match[str]) -> str:
    at = _kind(match)
    return f"{match[f'kept{at}']}<{KINDS[at].name}>"


def _kind(match: re.Match[str]) -> int:
    return next(at for at in range(len(KINDS)) if match[f"value{at}"] is not None)
