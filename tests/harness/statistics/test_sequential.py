"""Topping up until decided: planned looks, a share of alpha each, suspects by new trials alone."""

from collections.abc import Sequence

import numpy as np
import pytest

from harness.statistics import LOOKS, LookResult, Outcomes, SequentialRun, Terms, look_at

CASES = [f"c{number}" for number in range(20)]


def baseline(passed: int = 12, names: Sequence[str] = CASES) -> Outcomes:
    return Outcomes("a", dict.fromkeys(names, "h"), dict.fromkeys(names, (passed, 12)))


def tried(results: dict[str, str]) -> SequentialRun:
    """Trials by case as letters: `p` passed, `f` failed, `i` ended in an infrastructure error."""
    passed = {
        case: {number: letter == "p" for number, letter in enumerate(letters, 1) if letter != "i"}
        for case, letters in results.items()
    }
    planned = {case: len(letters) for case, letters in results.items()}
    return SequentialRun(Outcomes("b", dict.fromkeys(results, "h"), {}), passed, planned)


def looked(**results: str) -> LookResult:
    return look_at(baseline(), tried(dict.fromkeys(CASES, "ppp") | results), Terms(margin=0.2))


def test_what_is_decided_is_not_tried_again() -> None:
    found = looked()
    assert (found.comparison.verdict, found.comparison.looks) == ("not_worse", (3,))
    assert not found.wanted


def test_while_the_suite_is_inconclusive_every_case_is_tried_again() -> None:
    found = looked(c0="ffp", c1="pff", c2="fpf", c3="ffp")
    assert found.comparison.verdict == "inconclusive"
    assert found.wanted == dict.fromkeys(CASES, 6)
    assert found.comparison.alpha == pytest.approx(0.05 / 3)


def test_a_suspect_of_a_suite_that_is_not_worse_is_tried_again_alone() -> None:
    found = looked(c0="ppf")
    assert (found.comparison.verdict, found.wanted) == ("not_worse", {"c0": 6})


@pytest.mark.parametrize(
    ("letters", "flag", "wanted"),
    [
        ("ppf" + "ppp", "same", {}),
        ("ppf" + "fff", "significant", {}),
        ("ppf" + "pfp", "suspect", {"c0": 12}),
        ("ppf" + "iii", "suspect", {"c0": 12}),
    ],
    ids=["cleared", "significant", "suspect-again", "lost"],
)
def test_a_suspect_is_decided_by_new_trials_only(
    letters: str, flag: str, wanted: dict[str, int]
) -> None:
    """What was picked for a bad result does better by itself the next time."""
    found = looked(c0=letters)
    case = found.comparison.cases[0]
    assert (case.flag, found.wanted) == (flag, wanted)
    assert case.since == (0 if "i" in letters else 3)
    decided = "regressed" if flag == "significant" else "not_worse"  # at the first look, for good
    assert found.comparison.verdict == decided


@pytest.mark.parametrize(
    "results",
    [dict.fromkeys(CASES, "fff"), {"c0": "fff"}],
    ids=["the-suite", "one-case"],
)
def test_a_regression_ends_it(results: dict[str, str]) -> None:
    assert not looked(**results).wanted


def test_after_the_last_look_it_ends_undecided() -> None:
    results = dict.fromkeys(CASES[:3], "pff" * 4) | dict.fromkeys(CASES[3:], "p" * 12)
    before = Outcomes(
        "a",
        dict.fromkeys(CASES, "h"),
        dict.fromkeys(CASES[:3], (7, 12)) | dict.fromkeys(CASES[3:], (12, 12)),
    )
    found = look_at(before, tried(results))
    assert (found.comparison.verdict, found.comparison.looks) == ("inconclusive", LOOKS)
    assert not found.wanted


def test_without_a_case_in_common_nothing_is_tried_again() -> None:
    found = look_at(baseline(names=["x"]), tried({"c0": "ppp"}))
    assert (found.comparison.verdict, found.wanted) == ("changed", {})


@pytest.mark.slow
def test_looking_three_times_raises_no_more_false_alarms() -> None:
    """Peeking inflates the type-I error unless each look spends a share of alpha."""
    generator = np.random.default_rng(7)
    rates = generator.beta(2, 0.5, 20)
    alarms = 0
    for _ in range(60):
        before = Outcomes(
            "a",
            dict.fromkeys(CASES, "h"),
            {
                case: (int(generator.binomial(12, p)), 12)
                for case, p in zip(CASES, rates, strict=True)
            },
        )
        letters = {
            case: "".join("p" if passed else "f" for passed in generator.random(12) < p)
            for case, p in zip(CASES, rates, strict=True)
        }
        alarms += look_at(before, tried(letters)).comparison.verdict == "regressed"
    assert alarms <= 6  # 5 % of 60 is 3; 7 or more has a chance below 4 %
