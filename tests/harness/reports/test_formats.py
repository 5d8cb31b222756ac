import pytest

from harness.reports.formats import FORMATS, chart_report
from harness.statistics import summarize
from tests.harness.example_run import example_run, good_run


@pytest.mark.parametrize("name", list(FORMATS))
def test_the_same_run_gives_the_same_bytes(name: str) -> None:
    for report in FORMATS[name].values():
        assert report(example_run()) == report(example_run())
        assert isinstance(report(good_run()), str)


def test_charts_are_files_of_their_own_with_their_colours() -> None:
    run = example_run()
    run = run.model_copy(update={"statistics": summarize(run.decisions, run.facts)})
    text = chart_report("pass_rates")(run)
    assert text.startswith("<svg xmlns=")
    assert "prefers-color-scheme:dark" in text


def test_without_statistics_there_is_no_chart() -> None:
    assert chart_report("latency")(example_run()) == ""
