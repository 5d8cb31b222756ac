"""The comment on a pull request: what newly fails first, never too long, and without markup."""

import re

import pytest
from inline_snapshot import snapshot

from harness.model import CaseComparison, Comparison, Flag, Totals
from harness.reports import LONGEST_COMMENT, ComparedCase, comparison_comment

EVIL = (
    "</details><script>alert(1)</script> | [x](http://example.com) `code` @octocat #12 ![i](u)\n# h"
)


def compared(id: str, flag: Flag, now: int = 0) -> CaseComparison:
    return CaseComparison(case=id, before=(3, 3), after=(now, 3), delta=now / 3 - 1, flag=flag)


FOUND = Comparison(
    baseline="r1",
    candidate="r2",
    cases=(compared("S", "suspect", 2), compared("B", "broken"), compared("I", "improved", 3)),
    added=("D",),
    verdict="regressed",
    effect=-0.25,
    low=-0.5,
    high=0.0,
    before=Totals(cases_passed=3, cases=3),
    after=Totals(cases_passed=1, cases=4),
    warnings=("bear in mind",),
)


def test_what_newly_fails_comes_first_and_the_rest_is_folded() -> None:
    told = {"B": ComparedCase("Refunds", "no refund was made")}
    assert comparison_comment(FOUND, told) == snapshot("""\
### ❌ Agent trials: regressed

`r2` against `r1`: the suite or a case fell by more than chance explains.

**1 newly failing** · 1 less often passing · 1 improved · 3 compared · cases passed 3/3 → 1/4

| case | passed | what | title | reason |
|---|---|---|---|---|
| `B` | 3/3 → 0/3 | broken | `Refunds` | `no refund was made` |
| `S` | 3/3 → 2/3 | suspect |  |  |


<details>
<summary>Improved: 1</summary>

| case | passed | what | title | reason |
|---|---|---|---|---|
| `I` | 3/3 → 3/3 | improved |  |  |


</details>

<details>
<summary>Not compared</summary>

* added (only in the candidate): `D`

</details>

<details>
<summary>Figures</summary>

* mean difference -25.0 points, interval -50.0 to +0.0, p = 1, margin 5 points
* `bear in mind`

</details>
""")


def test_nothing_of_a_case_is_markup() -> None:
    text = comparison_comment(FOUND, {"B": ComparedCase(EVIL, EVIL)})
    outside = re.sub(r"`[^`\n]*`", "", text)
    assert "alert" in text
    for sign in ("<script", "](", "@octocat", "#12", "\n# h"):
        assert sign not in outside
    row = next(line for line in text.splitlines() if line.startswith("| `B`"))
    assert row.count("|") == 6


@pytest.mark.parametrize("flag", ["broken", "improved"])
def test_any_number_of_cases_fits(flag: Flag) -> None:
    cases = tuple(compared(f"C-{number}", flag) for number in range(3000))
    told = {case.case: ComparedCase("t" * 500, "r" * 500) for case in cases}
    ids = tuple(f"X-{number}" for number in range(5000))
    lists = dict.fromkeys(("added", "removed", "changed", "invalid", "not_evaluated"), ids)
    warnings = ("w" * 999,) * 99
    many = Comparison(baseline="r1", candidate="r2", cases=cases, warnings=warnings, **lists)
    text = comparison_comment(many, told)
    assert len(text) <= LONGEST_COMMENT
    assert re.search(r"^and \d+ more$", text, re.MULTILINE)
    assert text.count("<details>") == text.count("</details>")
