from typing import Any

import pytest

from harness.model import PastCase, PastRun, SuiteHistory
from harness.verdicts import history_of

VERDICTS: dict[str, Any] = {
    "P": "passed", "f": "flaky", "F": "failed", "?": "inconclusive", "s": "skipped",
}  # fmt: skip


def runs(whole: str = "", **cases: str) -> SuiteHistory:
    """Runs r1, r2, ... from a row of letters for each case; a dot leaves it out of a run."""
    many = max(map(len, cases.values()))
    made = [
        PastRun(
            run=f"r{place + 1}",
            whole=f"r{place + 1}" in whole.split(),
            cases={
                case: PastCase(verdict=VERDICTS[row[place]], passed=row[place] == "P", valid=1)
                for case, row in cases.items()
                if row[place] != "."
            },
        )
        for place in range(many)
    ]
    return history_of("office", "echo", made)


@pytest.mark.parametrize(
    ("row", "since"),
    [("PPP", ""), ("PFF", "r2"), ("FPF", "r3"), ("Ff.", "r1"), ("F?s", "r1"), ("?F", "r2")],
)
def test_a_case_is_open_since_the_first_failure_in_a_row(row: str, since: str) -> None:
    """CEP-84: progress is tracked over runs; no verdict closes nothing."""
    found = runs(A=row)
    assert found.cases[0].failing_since == since
    assert [case.case for case in found.open] == ["A"] * bool(since)


@pytest.mark.parametrize(
    ("whole", "mended", "parts"),
    [("r1", {"A": "r2"}, 2), ("r1 r3", {}, 0), ("", {"A": "r2"}, 3)],
    ids=["not-since", "since", "never"],
)
def test_a_case_that_was_mended_alone_wants_the_whole_suite(
    whole: str, mended: dict[str, str], parts: int
) -> None:
    """CEP-81: whether the whole suite was run since a single case was mended."""
    found = runs(whole, A="FPP", B="P.P")
    assert (found.mended, found.parts_since) == (mended, parts)


@pytest.mark.parametrize("row", ["FP?", "FPs"])
def test_what_was_mended_stays_so_without_a_verdict(row: str) -> None:
    assert runs("r1", A=row).mended == {"A": "r2"}


def test_what_broke_again_was_not_mended() -> None:
    assert runs("r1", A="FPF").mended == {}
