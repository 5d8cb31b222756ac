"""Whether what an answer quotes has a source in the trial."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Literal

import orjson
from pydantic import Field, model_validator

from harness.checks.expectation import AnyExpectation, Needle, not_evaluated, verdict
from harness.checks.model_traffic import model_call
from harness.checks.phrases import quote_names
from harness.checks.replies import is_blank, no_reply, replies_of, texts_and_values
from harness.checks.sections import checked_pattern, section_of
from harness.trials.decisions import CheckResult
from harness.trials.records import TrialRecord
from harness.trials.regexes import PatternError, search_pattern
from harness.trials.values import Frozen, Json
from mockserver.model import JournalEntry

_NUMBER = r"\d{1,3}(?:[,']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_SIGNS = "[$€£¥]"
_CURRENCIES = "USD|EUR|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN|INR|CNY|BRL"

_WORDS: Mapping[str, Sequence[float]] = {
    # a unit, and how many of smaller ones it is, in which a source may count
    f"{_CURRENCIES}|dollars?|euros?|pounds?|francs?|cents?": (1, 100),
    "percent": (1, 0.01),
    "ms|milliseconds?": (1, 0.001),
    "s|secs?|seconds?": (1, 1000),
    "mins?|minutes?": (1, 60, 60_000),
    "h|hrs?|hours?": (1, 60, 3600, 3_600_000),
    "days?": (1, 24, 86_400),
    "KB|kB|KiB": (1, 1000, 1024),
    "MB|MiB": (1, 1000, 1024, 1000**2, 1024**2),
    "GB|GiB": (1, 1000, 1024, 1000**3, 1024**3),
    "TB|TiB": (1, 1000, 1024, 1000**4, 1024**4),
    "km/h|mph|kWh|kW|MW|W|Mbps|Gbps|rpm": (1,),
    "kg|km": (1, 1000),
}  # fmt: skip
_MARKS: Mapping[str, Sequence[float]] = {_SIGNS: (1, 100), "%": (1, 0.01), "°[CF]": (1,)}

AMOUNT = (
    rf"(?:{_SIGNS}|\b(?:{_CURRENCIES})) ?(?:{_NUMBER})"
    rf"|\b(?:{_NUMBER}) ?(?:{'|'.join(_MARKS)}|(?:{'|'.join(_WORDS)})\b)"
)
"""A pattern of amounts with units; RE2."""

_FIND_NUMBER = re.compile(rf"(?<![\w.])-?(?:{_NUMBER}|\.\d+)(?:[eE][+-]?\d+)?")
_FIND_UNIT = [
    (re.compile(rf"(?:{unit})\Z"), scales) for unit, scales in {**_WORDS, **_MARKS}.items()
]


def numbers_in(texts: Iterable[str]) -> frozenset[float]:
    """The numbers that stand in texts, thousands separators taken out.

    >>> sorted(numbers_in(["price 1,234.50, 7 left", "0.12"]))
    [0.12, 7.0, 1234.5]
    """
    return frozenset(
        _value(found)
        for text in texts
        for found in _FIND_NUMBER.findall(text)
        if len(found) < _LONGEST
    )


def stands_for(amount: str, numbers: Iterable[float]) -> bool:
    """Whether one of some numbers is the amount, as exactly as the amount is written.

    It may be in another unit of the same kind: cents, seconds, bytes, a share of one.

    >>> stands_for("$12.50", [1250]), stands_for("340 ms", [0.34]), stands_for("13 %", [0.1251])
    (True, True, True)
    >>> stands_for("$12.51", [12.5, 1250])
    False
    """
    found = _FIND_DIGITS.search(amount)
    if found is None:
        return False
    value = _value(found[0])
    unit = (amount[: found.start()] + amount[found.end() :]).strip()
    scales = next((scales for pattern, scales in _FIND_UNIT if pattern.match(unit)), (1.0,))
    decimals = len(found[0].partition(".")[2])
    tolerance = 0.5 * 10.0**-decimals if decimals or value >= _ROUNDED else 0.0
    return any(
        abs(number / scale - value) <= tolerance + _EPSILON * value
        for number in numbers
        for scale in scales
    )


_FIND_DIGITS = re.compile(_NUMBER)
_LONGEST = 40
_ROUNDED = 10
"""From so much on a whole number may be a rounded one; two hours are not one and a half."""
_EPSILON = 1e-9


def _value(text: str) -> float:
    return float(re.sub("[,']", "", text))


QuotedKind = Literal["email", "address", "uuid", "id", "code", "amount"]


class GroundingRules(Frozen):
    """What is a quotation, and which need no source.

    Attributes:
        kinds: What counts as a quotation: e-mail addresses, network addresses, UUIDs, identifiers
            (letters and digits mixed, five characters or more; `HD-17`), codes (`POLICY_LIMIT`),
            amounts with units (`$12.50`, `340 ms`, `12 %`).
        patterns: Further RE2 patterns of quotations.
        allow: Globs of quotations that need no source; letter case does not matter.
        reads: Globs of tools and method ids that only read, whatever they are sent: what they
            answer is a source, also where the agent sent it. For tools with answers of their own.
        min: The answer must have at least this many quotations.
    """

    kinds: tuple[QuotedKind, ...] = ("email", "address", "uuid", "id", "code", "amount")
    patterns: tuple[Needle, ...] = ()
    allow: tuple[Needle, ...] = ()
    reads: tuple[Needle, ...] = ()
    min: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _looks_for_something(self) -> "GroundingRules":
        if not self.kinds and not self.patterns:
            raise ValueError("needs 'kinds' or 'patterns'")
        return self


class Grounding(AnyExpectation, GroundingRules):
    """What the answer quotes occurs in what the server sent in this trial, or in the prompt."""

    kind: Literal["grounding"] = "grounding"
    failure: ClassVar[str] = "ungrounded quotation"
    rests_on_answers: ClassVar[bool] = True


_TIME = r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}[\d:.]*(?:[Zz]|[+-]\d{2}:\d{2})?"
_PATTERNS: Mapping[QuotedKind, str] = {
    "email": r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+",
    "uuid": r"\b[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b",
    "address": r"\b(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{0,4}){3,7})\b",
    "amount": AMOUNT,
    "code": r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b",
    "id": r"\b[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*\b",
}
_NEEDED: Mapping[QuotedKind, tuple[str, int]] = {
    "email": ("@", 1),
    "uuid": ("-", 4),
    "address": (".:", 3),
    "code": ("_", 1),
}
"""Signs without which a text holds no quotation of a kind, and how many of them: most hold few."""

_TICKET = r"^[A-Z]{2,}-\d{2,}$"
_NUMBERED = r"^[A-Za-z][A-Za-z0-9_-]*[-_]\d{5,}(?:[-_]|$)"
_QUANTITY = r"^(?:\d+[A-Za-z]{1,4}|[A-Za-z]+\d{1,2})$"
_SHORTEST = 5


def quotations(text: str, kinds: Iterable[QuotedKind], patterns: Iterable[str]) -> list[str]:
    """What a text quotes, each once, in the order of the kinds.

    A piece of the text is one quotation; times are none.

    Raises:
        PatternError: A pattern is no regular expression, or searches for too long.

    >>> quotations("Ann (ann@example.com) hit POLICY_LIMIT on C0123abcd.", ["email", "id"], [])
    ['ann@example.com', 'C0123abcd']
    """
    rest = _compile(_TIME).sub(" ", text) if ":" in text else text
    wanted = set(kinds)
    found: dict[str, None] = {}
    for pattern in patterns:
        found.update(dict.fromkeys(filter(None, _matches(pattern, rest))))
    for kind, pattern in _PATTERNS.items():
        if not _may_hold(rest, kind):
            continue
        pieces = _matches(pattern, rest)
        if kind == "id":
            pieces = [piece for piece in pieces if _is_identifier(piece)]
        elif pieces:
            rest = _compile(pattern).sub(" ", rest)
        found.update(dict.fromkeys(pieces if kind in wanted else ()))
    return list(found)


def _may_hold(text: str, kind: QuotedKind) -> bool:
    """Whether it takes a search to tell that a text holds no quotation of a kind."""
    signs, least = _NEEDED.get(kind, ("", 0))
    return sum(map(text.count, signs)) >= least


def occurs(piece: str, folded: str) -> bool:
    """Whether a piece stands in a case-folded text, and not within a longer word."""
    wanted = piece.casefold()
    at = folded.find(wanted)
    while at >= 0:
        before, after = folded[at - 1 : at], folded[at + len(wanted) : at + len(wanted) + 1]
        if not (before.isalnum() and wanted[0].isalnum()) and not (
            after.isalnum() and wanted[-1].isalnum()
        ):
            return True
        at = folded.find(wanted, at + 1)
    return False


def texts_of(document: Json) -> list[str]:
    """The keys and plain values of a document as text."""
    found: list[str] = []
    rest = [document]  # a stack and no recursion: an agent may have made it as deep as it likes
    while rest:
        value = rest.pop()
        if isinstance(value, dict):
            found += map(str, value)
            rest += value.values()
        elif isinstance(value, list):
            rest += value
        elif value is not None:
            found.append(str(value))
    return found


def _is_identifier(piece: str) -> bool:
    """`C0123abcd`, `HD-17`, `api-00042`; not `step-2`, `100ms`, `top10` or a plain word."""
    if len(piece) < _SHORTEST or not any(map(str.isdigit, piece)):
        return False
    if _compile(_TICKET).search(piece) or _compile(_NUMBERED).search(piece):
        return True
    return any(
        len(part) >= _SHORTEST
        and any(letter.isdigit() for letter in part)
        and any(letter.isalpha() for letter in part)
        and not _compile(_QUANTITY).search(part)
        for part in piece.replace("_", "-").split("-")
    )


def _matches(pattern: str, text: str) -> list[str]:
    return search_pattern(pattern, ignore_case=False).find_all(text)


@lru_cache(maxsize=256)
def _compile(pattern: str) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern, options)


_BINARY = "base64:"
_NAMED = 10
_REFUSED = 400


def check_grounding(record: TrialRecord, expectation: Grounding) -> CheckResult:
    """Whether each quotation stands in a response of the server, or in what the user said.

    What the agent itself reports of tool results is no source, nor is what models said, nor what
    the server answers after the agent wrote it there; what a request reads by its name is.
    `ungrounded` in the numbers lists what has no source, `sources` says of each quotation where it
    came from. Where responses were not kept, nothing is decided against the agent.
    """
    replies = replies_of(record, expectation.turn)
    if not replies or is_blank(replies):
        return not_evaluated(expectation, no_reply(expectation.turn))
    if not record.session:
        return not_evaluated(expectation, "no mock session was open, so nothing was sent")
    try:
        found = quotations(texts_and_values(replies), expectation.kinds, expectation.patterns)
    except PatternError as error:
        return not_evaluated(expectation, f"a pattern of the case cannot be used: {error}")
    origins = find_origins(record, found, expectation.reads)
    missing = [
        piece
        for piece in found
        if not _is_allowed(piece, expectation.allow) and not origins[piece].is_source
    ]
    numbers: dict[str, Json] = {
        "quoted": len(found),
        "ungrounded": missing,
        "sources": {piece: origin.text for piece, origin in origins.items() if origin.text},
    }
    if missing and _lacks_responses(record):
        return not_evaluated(expectation, "not all responses of the server were kept", **numbers)
    problems = [f"no source in this trial has {quote_names(missing[:_NAMED])}"] if missing else []
    if len(found) < expectation.min:
        problems.append(f"{len(found)} quotations, at least {expectation.min} expected")
    return verdict(expectation, "; ".join(problems), **numbers)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a quotation first stands in a trial.

    Attributes:
        text: `prompt`, `request 3: orders.get` for the answer to it, `the agent, in request 2:
            orders.create` for what the agent sent itself; empty where it stands nowhere.
        is_source: Whether that is a source.
    """

    text: str = ""
    is_source: bool = False


_NOWHERE = Origin()


def find_origins(
    record: TrialRecord, pieces: Iterable[str], reads: Sequence[str] = ()
) -> dict[str, Origin]:
    """Where each quotation first stands: in what the user said, or in the traffic of the trial.

    Args:
        record: The trial.
        pieces: The quotations.
        reads: Globs of tools and method ids that only read.

    Returns:
        Each quotation with its origin.
    """
    found = dict.fromkeys(pieces, _NOWHERE)
    missing = list(found)
    for texts, origin in _passages(record, reads):
        if not missing:
            break
        passage = _Passage(texts)
        for piece in missing:
            if passage.holds(piece):
                found[piece] = origin
        missing = [piece for piece in missing if found[piece] is _NOWHERE]
    return found


class _Passage:
    """A text in which quotations are looked for."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._folded = "\n".join(texts).casefold()

    @cached_property
    def _numbers(self) -> frozenset[float]:
        return numbers_in(self._texts)

    def holds(self, piece: str) -> bool:
        """Whether a quotation stands there; an amount also as a number, or in another unit."""
        if occurs(piece, self._folded):
            return True
        return bool(_compile(f"^(?:{AMOUNT})$").search(piece)) and stands_for(piece, self._numbers)


def _passages(record: TrialRecord, reading: Sequence[str]) -> Iterator[tuple[list[str], Origin]]:
    """What was said and sent, in order; what models were asked and said is no source.

    Yields:
        Texts, and what it means that something stands there.
    """
    yield [reply.prompt for reply in record.replies], Origin("prompt", is_source=True)
    reads = _reads(record.journal.entries, reading)
    for entry in record.journal.entries:
        if model_call(record, entry) is not None:
            continue
        name = f"request {entry.seq}: {entry.method_id or entry.path}"
        body = record.journal.bodies.get(entry.response_ref, "")
        served = [] if body.startswith(_BINARY) else _texts(body)
        passages = [
            (_request_texts(entry), Origin(f"the agent, in {name}")),
            (served, Origin(name, is_source=True)),
        ]
        # a name that leads to something was there, even if the agent guessed it
        yield from reversed(passages) if entry.seq in reads else passages


def _reads(entries: Sequence[JournalEntry], reading: Sequence[str]) -> frozenset[int]:
    """The numbers of requests that went well and wrote nothing: tools by what they asked."""
    asked: dict[int, set[str]] = {}
    for entry in entries:
        if entry.parent is not None:
            asked.setdefault(entry.parent, set()).add(entry.http_method)
    return frozenset(
        entry.seq
        for entry in entries
        if entry.status < _REFUSED
        and (
            asked.get(entry.seq, set() if entry.body else {entry.http_method}) == {"GET"}
            or _only_reads(entry, reading)
        )
    )


def _only_reads(entry: JournalEntry, reading: Sequence[str]) -> bool:
    """Whether a case says that the tool or the method of a request only reads."""
    names = (entry.method_id, entry.method_id.removeprefix("tools."))
    return any(fnmatchcase(name, glob) for glob in reading for name in names)


def _request_texts(entry: JournalEntry) -> list[str]:
    """What the agent sent; what the server asked itself on its behalf is none of it."""
    if entry.parent is not None:
        return []
    return [entry.path, *texts_of(entry.params), *texts_of(entry.body)]


def _texts(body: str) -> list[str]:
    try:
        return texts_of(orjson.loads(body))
    except orjson.JSONDecodeError:
        return [body]


def _lacks_responses(record: TrialRecord) -> bool:
    journal = record.journal
    return bool(journal.evicted) or any(
        entry.response_bytes and entry.response_ref not in journal.bodies
        for entry in journal.entries
        if model_call(record, entry) is None
    )


def _is_allowed(piece: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatchcase(piece.casefold(), glob.casefold()) for glob in globs)


def _sound_patterns(block: Grounding) -> None:
    for pattern in block.patterns:
        checked_pattern(pattern)


GROUNDING = section_of(Grounding, "Whether what the reply quotes has a source.", _sound_patterns)
