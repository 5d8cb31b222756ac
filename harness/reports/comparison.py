"""This run beside an earlier one, case by case."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from harness.errors import HarnessError
from harness.model import JsonObject

_NAMED = 10
_UNDECIDED = {"inconclusive", "skipped"}
_TITLES = {
    "new_failures": "NEW FAILURES",
    "new_passes": "NEW PASSES",
    "unchanged": "UNCHANGED",
    "added": "ADDED",
    "removed": "REMOVED",
    "changed": "CHANGED",
    "invalid": "NOT COMPARABLE",
}
_HINTS = {
    "changed": "the case itself is another than before",
    "invalid": "no verdict on one of the sides",
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Case ids of two reports; each case is in exactly one list.

    Attributes:
        new_failures: Passed before, do not now.
        new_passes: Pass now, did not before.
        unchanged: The same on both sides.
        added: Only in the new report.
        removed: Only in the old report.
        changed: On both sides, but the case's hash differs, so its results do not compare.
        invalid: Inconclusive or skipped on one of the sides.
    """

    new_failures: list[str] = field(default_factory=list)
    new_passes: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    invalid: list[str] = field(default_factory=list)


def compare_reports(old: JsonObject, new: JsonObject) -> Comparison:
    """Compares two JSON reports by case id and case hash.

    Raises:
        HarnessError: when one of them is not a report.
    """
    before, after = _cases(old, "the earlier report"), _cases(new, "the new report")
    comparison = Comparison()
    for name in (*before, *(name for name in after if name not in before)):
        _place(comparison, before.get(name), after.get(name)).append(name)
    return comparison


def comparison_text(comparison: Comparison) -> str:
    """One line for each list that is not empty.

    New failures are all named, of other long lists the first; unchanged cases are counted only.
    """
    lines: list[str] = []
    for each in fields(comparison):
        names: list[str] = getattr(comparison, each.name)
        if not names:
            continue
        hint = f" ({_HINTS[each.name]})" if each.name in _HINTS else ""
        lines.append(f"{_TITLES[each.name]} {len(names)}{hint}{_listed(each.name, names)}")
    return "\n".join(lines or ["nothing to compare"]) + "\n"


def _listed(which: str, names: list[str]) -> str:
    if which == "unchanged":
        return ""
    shown = names if which == "new_failures" else names[:_NAMED]
    more = f" and {len(names) - len(shown)} more" if len(shown) < len(names) else ""
    return f": {', '.join(shown)}{more}"


def _place(
    comparison: Comparison, before: JsonObject | None, after: JsonObject | None
) -> list[str]:
    if before is None or after is None:
        return comparison.added if before is None else comparison.removed
    if before["hash"] != after["hash"]:
        return comparison.changed
    verdicts = (before["verdict"], after["verdict"])
    if _UNDECIDED & set(verdicts):
        return comparison.invalid
    return _by_verdict(comparison, *(verdict == "passed" for verdict in verdicts))


def _by_verdict(comparison: Comparison, *passed: bool) -> list[str]:
    before, after = passed
    if before == after:
        return comparison.unchanged
    return comparison.new_passes if after else comparison.new_failures


def _cases(report: JsonObject, what: str) -> Mapping[str, JsonObject]:
    try:
        return {
            case["caseId"]: {"hash": case["hash"], "verdict": case["verdict"]}
            for case in report["cases"]
        }
    except (KeyError, TypeError) as error:
        hint = "give a report.json that harness run wrote"
        raise HarnessError(f"{what} is not a JSON report of this tool", hint=hint) from error
