"""Failures of one kind: cases whose trials lack the same marker, tool or request."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from harness.model import CaseDecision, CheckResult, Cluster

_LISTS = ("missing", "found", "others", "written")
"""Where checks list what is missing, or what is there and must not be."""

_FOUND_IS_BAD = frozenset({"forbidden_evidence", "forbidden_tools", "text_lacks"})


def clusters(decisions: Iterable[CaseDecision]) -> tuple[Cluster, ...]:
    """What at least two cases have in common, the most frequent first."""
    cases: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for decision in decisions:
        for kind, what in _shown(decision):
            known = cases[kind, what]
            known[decision.case] = known.get(decision.case, 0) + 1
    found = [
        Cluster(kind=kind, what=what, cases=tuple(counts), trials=sum(counts.values()))
        for (kind, what), counts in cases.items()
        if len(counts) > 1
    ]
    return tuple(
        sorted(found, key=lambda each: (-len(each.cases), -each.trials, each.kind, each.what))
    )


def _shown(decision: CaseDecision) -> Iterator[tuple[str, str]]:
    for trial in decision.trials:
        for check in trial.checks:
            if check.required and check.status == "fail":
                yield from ((check.kind, what) for what in dict.fromkeys(_named(check)))


def _named(check: CheckResult) -> Iterator[str]:
    for name in _LISTS:
        if name == "found" and check.kind not in _FOUND_IS_BAD:
            continue
        values = check.numbers.get(name)
        if isinstance(values, (list, tuple)):
            yield from (value for value in values if isinstance(value, str))
