from inline_snapshot import snapshot

from harness.model import CaseComparison, Comparison
from harness.reports import versus_markdown, versus_text

FOUND = Comparison(
    baseline="r1",
    candidate="r2",
    cases=(
        CaseComparison(case="A", before=(3, 3), after=(0, 3), delta=-1.0, flag="broken"),
        CaseComparison(case="B", before=(3, 3), after=(3, 3), delta=0.0),
        CaseComparison(case="C", before=(2, 3), after=(3, 3), delta=1 / 3, flag="improved"),
    ),
    added=("D",),
    effect=-0.2222,
    low=-0.6,
    high=0.1,
    p_value=0.5,
    trials_needed=12,
    threshold=0.1,
    over_threshold=("A",),
    warnings=("bear in mind",),
)


def test_the_text_says_everything_that_differs() -> None:
    assert versus_text(FOUND) == snapshot("""\
r2 against r1, 3 cases compared
INCONCLUSIVE: neither a regression nor its absence is shown
mean difference -22.2 points (95 % interval -60.0 to +10.0), p = 0.5, margin 5 points
12 trials a case would see a drop of the margin (power 80 %)
BROKEN (passed every time, never passes now):
  A  3/3 -> 0/3
IMPROVED:
  C  2/3 -> 3/3
ADDED (only in the candidate): D
FELL BY MORE THAN 0.1: A
note: bear in mind
""")


def test_the_table_holds_what_differs() -> None:
    assert versus_markdown(FOUND) == snapshot("""\
### Against r1

INCONCLUSIVE: neither a regression nor its absence is shown

| case | before | now | what |
|---|---|---|---|
| A | 3/3 | 0/3 | broken |
| C | 2/3 | 3/3 | improved |

added (only in the candidate): D

> bear in mind
""")


def test_nothing_in_common_is_told_without_numbers() -> None:
    assert versus_text(Comparison(baseline="r1", candidate="r2")) == snapshot("""\
r2 against r1, 0 cases compared
INCONCLUSIVE: neither a regression nor its absence is shown
""")
