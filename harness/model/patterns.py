"""Patterns of task suites: a prefix, and what to look for in the output."""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from harness.model.needles import AnyExpectation, Needle
from harness.model.regexes import search_pattern

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
    patterns: tuple[Needle, ...] = ()
    match: Literal["all", "any"] = "all"


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


def read_pattern(written: str) -> Pattern:
    """Tell the prefix from what follows.

    >>> read_pattern("contains: 3 errors").wanted, read_pattern("3 errors").kind
    ('3 errors', '')
    """
    prefix, colon, rest = written.partition(":")
    for kind in _PREFIXES:
        if colon and prefix.strip() == kind:
            return Pattern(kind, rest if kind == "regex" else rest.strip())
    return Pattern("", written.strip())


def pattern_finding(written: str, output: str) -> PatternFinding:
    """Hold an output against one pattern.

    Raises:
        PatternError: It is a `regex:` that is none, or that searched for too long.

    >>> pattern_finding("contains:Done", "all done")
    PatternFinding(passed=True, detail='found')
    >>> pattern_finding("not_contains:TODO", "# todo: more")
    PatternFinding(passed=False, detail='found forbidden: TODO')
    """
    kind, wanted = read_pattern(written)
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
