"""What each report says first, and the exit code: one and the same."""

import json
import random
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest

from harness.errors import Exit
from harness.model import Comparison, RunResult
from harness.reports import (
    console_report,
    github_annotations,
    html_report,
    json_report,
    markdown_report,
    regressions_text,
    versus_markdown,
    versus_text,
)
from harness.reports.html.page import banner
from harness.reports.junit import junit_report
from harness.statistics import LOOKS, Outcomes, SequentialRun, Terms, compare, look_at
from harness.verdicts import exit_code, exit_reasons, regression_reasons
from tests.harness.records import case_decision, manifest, record, result

PASSED, FAILED = case_decision("A", ["pass"] * 9), case_decision("B", ["fail"] * 9)
FLAKY, OPEN = case_decision("C", ["pass", "fail"]), case_decision("D", ["not_evaluated"])
LOST, SKIPPED = case_decision("E", ["infra_error"]), case_decision("F", ["skipped"])


def fallen(**more: Any) -> Comparison:
    before = Outcomes("1", {"A": "h"}, {"A": (9, 9)})
    after = Outcomes("2", {"A": "h"}, more.pop("counts", {"A": (0, 9)}))
    return compare(before, after, Terms(**more))


def ended(*decisions: Any, **facts: Any) -> RunResult:
    made = result(*decisions, **facts)
    return made.model_copy(update={"exit_reasons": exit_reasons(made)})


SYNTHETIC = record("x", case="F", synthetic=True)
RUNS: dict[str, tuple[RunResult, Exit]] = {
    "all passed": (ended(PASSED), Exit.OK),
    "some skipped": (ended(PASSED, SKIPPED), Exit.OK),
    "inconclusive beside a baseline": (
        ended(PASSED, comparison=fallen(counts={"A": (8, 9)})), Exit.OK,
    ),
    "a failure": (ended(PASSED, FAILED), Exit.GATE_FAILED),
    "a flaky case": (ended(PASSED, FLAKY), Exit.GATE_FAILED),
    "no verdict": (ended(PASSED, OPEN), Exit.NO_VERDICT),
    "no verdict and a failure": (ended(FAILED, OPEN), Exit.NO_VERDICT),
    "all skipped": (ended(SKIPPED), Exit.NO_VERDICT),
    "made up": (ended(SKIPPED, records=(SYNTHETIC,)), Exit.NO_VERDICT),
    "a lost case": (ended(PASSED, LOST), Exit.INFRASTRUCTURE),
    "left out": (
        ended(PASSED, manifest=manifest(["A"], left_out=("bad.yaml:3",))), Exit.USAGE,
    ),
    "a regression": (ended(PASSED, comparison=fallen()), Exit.REGRESSION),
    "a regression and a failure": (ended(FAILED, comparison=fallen()), Exit.GATE_FAILED),
    "interrupted": (ended(PASSED, interrupted=True), Exit.INTERRUPTED),
    "interrupted with a failure": (ended(FAILED, interrupted=True), Exit.INTERRUPTED),
}  # fmt: skip


def first_code(pattern: str, text: str) -> int:
    found = re.search(pattern, text, re.MULTILINE)
    return int(found[1]) if found else 0


def of_banner(made: RunResult) -> int:
    told = banner(made)
    assert told.text in html_report(made)
    return {
        "Every gate passed": 0,
        "A quality gate failed": 1,
        "Nothing could be decided": 2,
        "The infrastructure failed": 3,
        "A regression against the baseline": 4,
        "No verdict": 5,
        "Interrupted": 130,
    }[told.text]


TELLS_THE_CODE: dict[str, Callable[[RunResult], int]] = {
    "console": lambda made: first_code(r"^exit (\d+):", console_report(made)),
    "summary.md": lambda made: first_code(r"^- exit (\d+):", markdown_report(made)),
    "report.json": lambda made: next(
        (each["code"] for each in json.loads(json_report(made))["exitReasons"]), 0
    ),
    "report.html": of_banner,
}


@pytest.mark.parametrize("name", RUNS)
def test_each_report_says_first_what_the_exit_code_says(name: str) -> None:
    made, code = RUNS[name]
    assert exit_code(made) == code
    assert {report: tells(made) for report, tells in TELLS_THE_CODE.items()} == dict.fromkeys(
        TELLS_THE_CODE, code
    )


@pytest.mark.parametrize("name", RUNS)
def test_what_only_knows_red_and_green_is_green_for_0_alone(name: str) -> None:
    """JUnit and the annotations of GitHub: a regression, too, is seen by who reads nothing else."""
    made, code = RUNS[name]
    tests = ElementTree.fromstring(junit_report(made))
    red = tests.findall(".//failure") + tests.findall(".//error")
    assert bool(red) == bool(code)
    assert bool(re.search("^::(error|warning) ", github_annotations(made), re.MULTILINE)) == bool(
        code
    )
    if made.comparison is not None and regression_reasons(made.comparison):
        assert 'name="exit 4"' in junit_report(made)
        assert "::error title=exit 4::" in github_annotations(made)


COMPARED: dict[str, Callable[[Comparison], str]] = {
    "text": versus_text,
    "markdown": versus_markdown,
    "regressions": lambda found: regressions_text("office", found),
}
_ALARMS = ("REGRESSED:", "CHANGED:")
_QUIET = ("NOT WORSE", "INCONCLUSIVE:")


def drawn(draw: random.Random) -> Comparison:
    """Two runs of a suite under some terms; every other one is topped up, look by look."""
    names = [f"c{number}" for number in range(draw.choice((0, 1, 3, 8, 20)))]
    trials = draw.choice((1, 3, 12))
    rate, fall = draw.random(), draw.choice((0, 0, 0.2, 0.6, 1))

    def passes(count: int, rate: float) -> int:
        return sum(draw.random() < rate for _ in range(count))

    before = Outcomes(
        "1",
        dict.fromkeys([*names, *draw.choice(([], ["gone"]))], "h"),
        {name: (passes(trials, rate), trials) for name in names},
        scores={name: draw.random() for name in names},
    )
    terms = Terms(
        margin=draw.choice((0.0, 0.05, 0.5)),
        threshold=draw.choice((None, 0.1, 0.5)),
        by_score=draw.random() < 0.5,
        allow_removed=draw.random() < 0.5,
    )
    fixed = frozenset(name for name in names if draw.random() < draw.choice((0, 0, 0.1)))
    results = {
        name: {number: draw.random() < rate * (1 - fall) for number in range(1, 13)}
        for name in names
    }
    if draw.random() < 0.5:
        tried = SequentialRun(Outcomes("2", dict.fromkeys(names, "h"), {}, fixed), results,
                      dict.fromkeys(names, 12))  # fmt: skip
        return look_at(before, tried, terms, LOOKS).comparison
    counts = {name: (sum(each.values()), len(each)) for name, each in results.items()}
    scores = {name: draw.random() for name in names}
    return compare(before, Outcomes("2", dict.fromkeys(names, "h"), counts, fixed, scores=scores),
                   terms)  # fmt: skip


@pytest.mark.slow
def test_a_comparison_says_first_what_its_exit_code_says() -> None:
    """INCONCLUSIVE and NOT WORSE never exit with 4, and what exits with 4 says so."""
    draw = random.Random(4)
    seen: set[tuple[str, bool]] = set()
    for _ in range(50):
        found = drawn(draw)
        exits = bool(regression_reasons(found))
        seen.add((found.verdict, exits))
        for name, report in COMPARED.items():
            if name == "regressions" and found.threshold is None:
                continue
            heads = [
                line for line in report(found).splitlines() if line.startswith(_ALARMS + _QUIET)
            ]
            assert heads, report(found)
            assert heads[0].startswith(_ALARMS if exits else _QUIET), report(found)
    assert seen == {
        ("regressed", True), ("changed", True), ("not_worse", False), ("inconclusive", False),
    }  # fmt: skip
