"""Patterns of task suites: a prefix, and what to look for in the output."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypedDict

from pydantic import AfterValidator, BeforeValidator, Field
from typing_extensions import override

from harness.checks.expectation import AnyExpectation, Needle, failed, not_evaluated, verdict
from harness.checks.replies import joined_texts, no_reply, replies_of
from harness.checks.sections import Block, section_of, single_or_list
from harness.trials.decisions import CheckResult
from harness.trials.records import TrialRecord
from harness.trials.regexes import PatternError, never_matches, search_pattern

ENOUGH_OUTPUT = 10
"""Without patterns, an output of more characters than this passes."""

PatternKind = Literal["regex", "contains", "not_contains", ""]
_PREFIXES: tuple[PatternKind, ...] = ("regex", "contains", "not_contains")


class Patterns(AnyExpectation):
    """The output meets these patterns; without any, it has more than 10 characters.

    An output without anything in it scores for what it does not hold, as any output does, but never
    passes.

    Attributes:
        patterns: `regex:<pattern>`, `contains:<text>`, `not_contains:<text>`, or a text alone,
            which is looked for like `contains:`; letter case does not matter. Texts are looked for
            as they are, within words too: code has no words.
        match: `all` of them or `any` one.
    """

    kind: Literal["patterns"] = "patterns"
    failure: ClassVar[str] = "output unlike its patterns"
    is_graded: ClassVar[bool] = True
    quotes_values: ClassVar[bool] = True
    patterns: tuple[Needle, ...] = ()
    match: Literal["all", "any"] = "all"

    @property
    @override
    def parts(self) -> int:
        return max(1, len(self.patterns))


class Pattern(NamedTuple):
    """A pattern, read.

    Attributes:
        kind: Its prefix, or an empty string.
        wanted: What follows.
    """

    kind: PatternKind
    wanted: str


class PatternFinding(NamedTuple):
    """What one pattern came to.

    Attributes:
        passed: Whether the output meets it.
        detail: `matched` or `no match`; `found` or `not found`; `correctly absent` or
            `found forbidden: ...`.
    """

    passed: bool
    detail: str


def read_pattern(text: str) -> Pattern:
    """Tell the prefix from what follows.

    >>> read_pattern("contains: 3 errors").wanted, read_pattern("3 errors").kind
    ('3 errors', '')
    """
    prefix, colon, rest = text.partition(":")
    for kind in _PREFIXES:
        if colon and prefix.strip() == kind:
            return Pattern(kind, rest if kind == "regex" else rest.strip())
    return Pattern("", text.strip())


def pattern_finding(text: str, output: str) -> PatternFinding:
    """Hold an output against one pattern.

    Raises:
        PatternError: It is a `regex:` that is none, or that searched for too long.

    >>> pattern_finding("contains:Done", "all done")
    PatternFinding(passed=True, detail='found')
    >>> pattern_finding("not_contains:TODO", "# todo: more")
    PatternFinding(passed=False, detail='found forbidden: TODO')
    """
    kind, wanted = read_pattern(text)
    return _LOOKS[kind](wanted, output)


def _regex(wanted: str, output: str) -> PatternFinding:
    matched = bool(search_pattern(wanted).search(output))
    return PatternFinding(matched, "matched" if matched else "no match")


def _contains(wanted: str, output: str) -> PatternFinding:
    found = bool(wanted) and wanted.casefold() in output.casefold()
    return PatternFinding(found, "found" if found else "not found")


def _lacks(wanted: str, output: str) -> PatternFinding:
    found = _contains(wanted, output).passed
    return PatternFinding(not found, f"found forbidden: {wanted}" if found else "correctly absent")


_LOOKS: Mapping[PatternKind, Callable[[str, str], PatternFinding]] = {
    "regex": _regex,
    "contains": _contains,
    "not_contains": _lacks,
    "": _contains,
}


class PatternRow(TypedDict):
    """What one pattern came to, in the numbers of a result.

    Attributes:
        pattern: As the author wrote it.
        passed: Whether the output meets it.
        detail: See `PatternFinding`.
    """

    pattern: str
    passed: bool
    detail: str


class PatternNumbers(TypedDict, total=False):
    """What the numbers of a result on patterns hold; only `score` where there are no patterns.

    Attributes:
        score: The share of the patterns that the output meets, 0 to 1.
        matching: How many it meets.
        of: How many there are.
        details: Each pattern, in order.
    """

    score: float
    matching: int
    of: int
    details: list[PatternRow]


def check_patterns(record: TrialRecord, expectation: Patterns) -> CheckResult:
    """Whether the output meets all (or any) of the patterns.

    The numbers are `PatternNumbers`.
    """
    replies = replies_of(record, expectation.turn)
    if not replies:
        return not_evaluated(expectation, no_reply(expectation.turn))
    output = joined_texts(replies)
    if not expectation.patterns:
        return _any_output(expectation, output)
    try:
        findings = [(each, pattern_finding(each, output)) for each in expectation.patterns]
    except PatternError as error:
        return not_evaluated(expectation, f"a pattern of the case cannot be used: {error}")
    missed = [pattern for pattern, finding in findings if not finding.passed]
    total = len(findings)
    numbers: PatternNumbers = {
        "score": (total - len(missed)) / total,
        "matching": total - len(missed),
        "of": total,
        "details": [
            {"pattern": pattern, "passed": finding.passed, "detail": finding.detail}
            for pattern, finding in findings
        ],
    }
    enough = not missed if expectation.match == "all" else len(missed) < total
    if enough and not output.strip():
        return failed(expectation, "the output is empty: it lacks what it must not hold", **numbers)
    if enough:
        return verdict(expectation, "", **numbers)
    told = "; ".join(f"{each!r}: {pattern_finding(each, output).detail}" for each in missed)
    which = "does not meet" if expectation.match == "all" else "meets none of its patterns:"
    return failed(expectation, f"the output {which} {told}", **numbers)


def _any_output(expectation: Patterns, output: str) -> CheckResult:
    length = len(output.strip())
    enough = length > ENOUGH_OUTPUT
    expected = f"more than {ENOUGH_OUTPUT} expected"
    reason = "" if enough else f"the output has {length} characters, {expected}"
    return verdict(expectation, reason, score=float(enough), characters=length)


def pattern_clash(patterns: tuple[str, ...], match: Literal["all", "any"]) -> str:
    """Why no output could meet patterns, or any could; an empty string for sound ones."""
    read = [read_pattern(each) for each in patterns]
    needed = {wanted.casefold() for kind, wanted in read if kind in {"contains", ""}}
    refused = [wanted for kind, wanted in read if kind == "not_contains"]
    for wanted in refused:
        if match == "all" and any(wanted.casefold() in each for each in needed):
            return f"{wanted!r} is both required and forbidden"
        if match == "any" and wanted.casefold() in needed:
            return f"{wanted!r} may be there or not: any output meets one of the two"
    return ""


def _sound(text: str) -> str:
    kind, wanted = read_pattern(text)
    if not wanted.strip():
        raise ValueError(f"{text!r} has nothing to look for after its prefix")
    if kind == "regex":
        if search_pattern(wanted).search(""):
            raise ValueError(f"{wanted!r} matches every output, even an empty one")
        if never_matches(wanted):
            raise ValueError(f"{wanted!r} matches no text: something stands before ^ or after $")
    return text


def _can_fail_and_hold(block: Patterns) -> None:
    if reason := pattern_clash(block.patterns, block.match):
        raise ValueError(reason)


def _or_list(block: type[Block]) -> Any:
    """Lets one pattern, or a list of them, stand for the whole block."""
    validator = BeforeValidator(
        lambda value: value if isinstance(value, dict | block) else {"patterns": value},
        json_schema_input_type=str | list[str] | block,
    )
    return Annotated[block, validator]


WrittenPattern = Annotated[str, Field(min_length=1), AfterValidator(_sound)]
"""A pattern as an author writes it: refused where no output could meet it, or any would."""

PATTERNS = section_of(
    Patterns,
    "What the output matches.",
    _can_fail_and_hold,
    short=_or_list,
    patterns=Annotated[tuple[WrittenPattern, ...], single_or_list(str)],
)
