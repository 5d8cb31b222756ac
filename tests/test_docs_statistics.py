"""What docs/explanation/statistics.md says of figures, held against the code."""

import re
from collections.abc import Callable
from typing import get_args

import pytest

from harness.cli.main import app
from harness.model import Attribution, CaseComparison, Classification, Comparison
from harness.statistics import (
    FEWEST_FOR_P95,
    LOOKS,
    fisher_worse,
    label_of,
    pass_hat_k,
    power,
    tarone,
    wilson,
)
from harness.statistics.summary import FEWEST_CASES
from tests.command_line import command_of
from tests.documents import DOCS, names_in, table
from tests.harness.statistics.test_false_alarms import (
    SIZES,
    alarms,
    any_case_fell,
    bootstrap,
    sign_flips,
)

TEXT = DOCS["statistics"]


def first_names(header: str) -> set[str]:
    return set(names_in(row[0] for row in table(TEXT, header)))


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("Class of a case", get_args(Classification)),
        ("Attribution", get_args(Attribution)),
        ("Verdict", get_args(Comparison.model_fields["verdict"].annotation)),
        ("Flag of a case", get_args(CaseComparison.model_fields["flag"].annotation)),
    ],
)
def test_every_word_of_a_report_is_explained(header: str, words: tuple[str, ...]) -> None:
    """CSR-23 too: the name for 60 to 80 % is `watch`."""
    assert first_names(header) == set(words)


def test_labels_begin_where_they_are_said_to() -> None:
    """CSR-23"""
    for name, share in table(TEXT, "Label"):
        assert label_of(int(share.removesuffix(" %")) / 100) == name.strip("`")


def test_the_options_of_compare_are_those_there_are() -> None:
    params = command_of(app, "compare").params
    there = {param.opts[0] for param in params if param.param_type_name == "option"}
    assert first_names("Option of `understudy compare`") == there - {"--help"}


def test_the_limits_are_those_of_the_code() -> None:
    assert f"below {FEWEST_FOR_P95} trials" in TEXT
    assert f"from {FEWEST_CASES} cases" in TEXT
    assert f"after {LOOKS[0]}, {LOOKS[1]} and {LOOKS[2]} trials" in TEXT


def test_the_worked_examples_are_true() -> None:
    """CSR-24 is the clocks; these are the counts beside them."""
    assert [round(end, 2) for end in wilson(3, 3)] == [0.44, 1.0]
    assert (pass_hat_k(4, 5, 2), pass_hat_k(4, 5, 5)) == (0.6, 0)
    worst = fisher_worse((5, 5), (0, 5))
    tests = {"a": worst} | {f"c{number}": 1.0 for number in range(19)}
    assert tarone(tests, tests, 0.025) == {"a"}
    assert not tarone(tests, dict.fromkeys(tests, worst), 0.025)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "name"),
    [
        (sign_flips, "paired permutation"),
        (bootstrap, "bootstrap interval"),
        (any_case_fell, "any case fell"),
    ],
)
def test_the_table_of_false_alarms_is_measured(rule: Callable[..., bool], name: str) -> None:
    """Pitfall 21"""
    row = next(row for row in table(TEXT, "Rule") if row[0].startswith(name))
    assert [float(cell) for cell in row[1:]] == pytest.approx(
        [alarms(rule, *size) for size in SIZES], abs=0.006
    )


@pytest.mark.parametrize(
    ("cases", "trials", "said"),
    [(20, 3, "one time in four"), (50, 5, "four times in five")],
)
def test_what_so_many_trials_see_is_so(cases: int, trials: int, said: str) -> None:
    shares = {"one time in four": 0.25, "four times in five": 0.8}
    quantiles = [((place + 0.5) / cases) for place in range(cases)]
    from scipy.stats import beta

    rates = [float(beta.ppf(share, 2, 0.5)) for share in quantiles]
    assert f"{cases} cases with {trials} trials" in re.sub(r"\s+", " ", TEXT)
    assert power(rates, trials, 0.1).power == pytest.approx(shares[said], abs=0.1)
