import pytest

from harness.model import RunManifest
from harness.reports.formats import (
    _NOT_IN_NAMES,
    FORMATS,
    chart_report,
    replay_name,
    reproducible,
)
from harness.statistics import summarize
from tests.harness.example_run import example_run, good_run
from tests.harness.records import result


@pytest.mark.parametrize("name", list(FORMATS))
def test_the_same_run_gives_the_same_bytes(name: str) -> None:
    for report in FORMATS[name].values():
        assert report(example_run()) == report(example_run())
        assert isinstance(report(good_run()), str | bytes)


def test_charts_are_files_of_their_own_with_their_colours() -> None:
    run = example_run()
    run = run.model_copy(update={"statistics": summarize(run.decisions, run.facts)})
    text = str(chart_report("pass_rates")(run))
    assert text.startswith("<svg xmlns=")
    assert "prefers-color-scheme:dark" in text


def test_without_statistics_there_is_no_chart() -> None:
    assert chart_report("latency")(example_run()) == ""


def test_only_a_replay_forgets_when_and_where_it_was() -> None:
    plain = result(folder="runs/r1")
    assert reproducible(plain) is plain
    asked = plain.manifest.model_copy(update={"options": {"replay": True}, "started_at": "now"})
    told = reproducible(plain.model_copy(update={"manifest": asked}))
    assert (told.folder, told.manifest.started_at) == ("", "")
    assert told.manifest.run == replay_name(asked)


def test_the_name_of_a_replay_is_what_was_replayed() -> None:
    one = result().manifest
    same = one.model_copy(update={"run": "other", "started_at": "later", "note": "why"})
    other = one.model_copy(update={"agent": "echo"})
    assert replay_name(one) == replay_name(same) != replay_name(other)
    assert replay_name(one).startswith("replay-")


def test_of_each_field_of_a_manifest_it_is_decided_whether_it_names_a_replay() -> None:
    named = {
        "suite", "agent", "cases", "trials", "policy", "options", "versions", "left_out", "merged",
        "suite_cases", "origin", "fork",
    }  # fmt: skip
    assert _NOT_IN_NAMES.isdisjoint(named)
    assert _NOT_IN_NAMES | named == RunManifest.model_fields.keys()
