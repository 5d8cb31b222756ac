from inline_snapshot import snapshot

from harness.model import CaseComparison, Comparison, Discordant, Totals
from harness.reports import versus_markdown, versus_text

TOPPED_UP = Comparison(
    baseline="r1",
    candidate="r2",
    cases=(
        CaseComparison(case="A", before=(1, 1), after=(0, 1), delta=-1.0, flag="suspect", since=3),
    ),
    alpha=0.05 / 3,
    looks=(3, 6),
    discordant=Discordant(worse=1, better=0, p_value=1.0),
    before=Totals(cases_passed=4, cases=8, checks_passed=13, checks=16),
    after=Totals(cases_passed=3, cases=8, checks_passed=11, checks=17),
    explored=("A",),
)


def test_both_sides_are_counted_and_each_test_is_named() -> None:
    """CSR-30: pass rate and checks of both; CTXR-08."""
    assert versus_text(TOPPED_UP) == snapshot("""\
r2 against r1, 1 cases compared
INCONCLUSIVE: neither a regression nor its absence is shown
cases passed 4/8 -> 3/8
checks passed 13/16 -> 11/17
of the cases that differ 1 got worse and 0 better (McNemar, one trial a case): p = 1
looked at after 3, 6 trials a case, at alpha = 0.0167 each time
SUSPECT (a lower rate that chance may explain: try them again):
  A  1/1 -> 0/1 (trials after 3 only)
TO EXPLORE (false discovery rate 0.0167): A
""")


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
BROKEN (passed every time, never passes now; chance may explain it, so look):
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
