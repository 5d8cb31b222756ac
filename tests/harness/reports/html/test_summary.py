import pytest

from harness.errors import Exit
from harness.model import Cluster, ExitReason
from harness.reports.html.summary import banner, details, findings, tiles
from harness.statistics import summarize
from tests.harness.example_run import example_run, good_run, synthetic_run
from tests.harness.records import case_decision, result


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (Exit.GATE_FAILED, "A quality gate failed"),
        (Exit.USAGE, "Nothing could be decided"),
        (Exit.INFRASTRUCTURE, "The infrastructure failed"),
        (Exit.REGRESSION, "A regression against the baseline"),
        (Exit.NO_VERDICT, "No verdict"),
    ],
    ids=str,
)
def test_each_way_to_end_has_its_banner(code: int, text: str) -> None:
    run = good_run().model_copy(update={"exit_reasons": (ExitReason(code=code, reason="r"),)})
    assert (banner(run).tone, banner(run).text) == ("bad", text)


def test_a_good_run_is_good_and_a_half_one_is_not() -> None:
    assert banner(good_run()).tone == "good"
    half = good_run().model_copy(update={"interrupted": True})
    assert (banner(half).tone, banner(half).text) == ("warn", "Interrupted")
    assert "Synthetic" in banner(synthetic_run()).notes[0]


def test_figures_beside_the_rates_are_told_apart() -> None:
    run = example_run()
    run = run.model_copy(update={"statistics": summarize(run.decisions, run.facts)})
    found = {tile.label: tile for tile in tiles(run)}
    assert found["Trials passed"].note.startswith("5 of 7 valid: 1 infra")
    assert found["Time for a trial"].value.endswith("ms")
    assert found["To the first byte"].value == "n/a"
    assert [tile.label for tile in tiles(example_run())] == ["Cases passed", "Trials passed"]


def test_timeouts_stand_beside_the_median() -> None:
    run = example_run()
    late = [each._replace(time_limit_ms=10.0, outcome="agent_error") for each in run.facts[-4:-3]]
    statistics = summarize(run.decisions, [*run.facts[:1], *late])
    tile = tiles(run.model_copy(update={"statistics": statistics}))[3]
    assert tile.note.endswith("1 of 2 timed out")


def test_details_and_findings_leave_out_what_is_empty() -> None:
    assert ("Suite", "fixtures/example") in details(good_run())
    assert "Started" not in dict(details(good_run()))
    assert findings(good_run()) == []
    assert dict(findings(example_run()))["Flaky"] == "EC-003"


def test_long_lists_are_cut() -> None:
    failing = [case_decision(f"C-{number}", ["fail", "fail"]) for number in range(103)]
    assert dict(findings(result(*failing)))["Always failing"].endswith("C-99 and 3 more")


def test_what_failures_have_in_common_is_told_with_how_many() -> None:
    """CEP-82"""
    cluster = Cluster(kind="tool_calls", what="listOrgUnits", cases=("A", "B"), trials=3)
    run = example_run().model_copy(update={"clusters": (cluster,)})
    assert dict(findings(run))["Alike"] == "tool calls 'listOrgUnits' (2 cases)"
    assert dict(findings(run))["Whose failure"].startswith("agent")
