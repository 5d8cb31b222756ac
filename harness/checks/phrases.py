"""Phrases and patterns in the text of a reply."""

from harness.checks.replies import is_blank, no_reply, replies_of, said
from harness.checks.results import failed, not_evaluated, verdict
from harness.checks.text import says_nothing, text_of
from harness.model import (
    CheckResult,
    PatternError,
    TextContains,
    TextLacks,
    TextMatches,
    TrialRecord,
    search_pattern,
)


def check_contains(record: TrialRecord, expectation: TextContains) -> CheckResult:
    """Whether the text holds all (or any) of the phrases."""
    replies = replies_of(record, expectation.turn)
    if not replies:
        return not_evaluated(expectation, no_reply(expectation.turn))
    if blank := blank_among(expectation.needles):
        return not_evaluated(expectation, blank)
    text = text_of(said(replies))
    missing = [
        needle for needle in expectation.needles if not text.holds(needle, exact=expectation.exact)
    ]
    return _all_or_any(expectation, len(expectation.needles), missing)


def check_matches(record: TrialRecord, expectation: TextMatches) -> CheckResult:
    """Whether all (or any) of the patterns are found in the text (any case)."""
    replies = replies_of(record, expectation.turn)
    if not replies:
        return not_evaluated(expectation, no_reply(expectation.turn))
    text = said(replies)
    try:
        missing = [each for each in expectation.patterns if not search_pattern(each).search(text)]
    except PatternError as error:
        return not_evaluated(expectation, f"a pattern of the case cannot be used: {error}")
    return _all_or_any(expectation, len(expectation.patterns), missing)


def check_lacks(record: TrialRecord, expectation: TextLacks) -> CheckResult:
    """Whether the text holds none of the phrases."""
    replies = replies_of(record, expectation.turn)
    if not replies or is_blank(replies):
        return not_evaluated(expectation, no_reply(expectation.turn))
    if blank := blank_among(expectation.needles):
        return not_evaluated(expectation, blank)
    text = text_of(said(replies))
    found = [
        needle for needle in expectation.needles if text.holds(needle, exact=expectation.exact)
    ]
    reason = f"the reply holds {quoted(found)}, which it must not" if found else ""
    return verdict(expectation, reason, found=found)


def blank_among(phrases: tuple[str, ...]) -> str:
    """What is wrong when one of the phrases is blank, or an empty string."""
    blank = [phrase for phrase in phrases if says_nothing(phrase)]
    return f"{blank[0]!r} in the case is blank: nothing to look for" if blank else ""


def quoted(names: list[str]) -> str:
    """Names in quotes, comma separated."""
    return ", ".join(repr(name) for name in names)


def _all_or_any(
    expectation: TextContains | TextMatches, total: int, missing: list[str]
) -> CheckResult:
    counts = {"missing": missing, "found": total - len(missing), "of": total}
    enough = not missing if expectation.match == "all" else len(missing) < total
    if enough:
        return verdict(expectation, "", **counts)
    which = "lacks" if expectation.match == "all" else "has none of"
    return failed(expectation, f"the reply {which} {quoted(missing)}", **counts)
