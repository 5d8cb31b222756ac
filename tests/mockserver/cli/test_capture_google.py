from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from mockserver.capture import google as capturing
from mockserver.capture.google import PlanStep
from mockserver.capture.google.calls import CallOutcome, Failure
from mockserver.capture.google.plans import PlannedCall
from mockserver.capture.recorder import Recorder
from mockserver.cli.capture import app
from mockserver.cli.capture_output import show_calls
from mockserver.errors import CaptureError, LeakError, MockServerError
from mockserver.model import Interaction, RecordedRequest, RecordedResponse
from tests.mockserver.capture.google.plannedcalls import write_plan

UNITS = Interaction(
    RecordedRequest(
        "GET", "https://admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits"
    ),
    RecordedResponse(200, body=b'{"organizationUnits": []}'),
)
Script = Callable[[Recorder], Iterator[capturing.CallResult]]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", "a key for tests")
    write_plan(tmp_path)


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> Callable[[Script], None]:
    """Puts a script in the place of the live API."""

    def play(script: Script) -> None:
        monkeypatch.setattr(
            capturing, "run_capture", lambda _, __, recorder, **___: script(recorder)
        )

    return play


def invoke(*arguments: str) -> Result:
    given = ["google", "--plan", "plan.yaml", *arguments]
    return CliRunner().invoke(app, given, catch_exceptions=False)


def done(outcome: CallOutcome) -> capturing.CallResult:
    return capturing.CallResult("units", "", "directory.orgunits.list", outcome, optional=False)


def fine(recorder: Recorder) -> Iterator[capturing.CallResult]:
    recorder.record(UNITS)
    yield done(CallOutcome(pages=1))


def test_a_dry_run_prints_the_calls_and_needs_nothing() -> None:
    result = invoke("--dry-run")
    assert result.exit_code == 0
    assert "units: directory.orgunits.list" in result.output
    assert [path.name for path in Path().iterdir()] == ["plan.yaml"]


def test_a_capture_says_where_it_goes() -> None:
    with pytest.raises(MockServerError, match="--cassette says where"):
        invoke()


def test_a_capture_leaves_a_cassette_and_a_suite(live: Callable[[Script], None]) -> None:
    live(fine)
    result = invoke("--cassette", "live.yaml", "--suite", "suite")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "suite: 2 base files of 1 answers",
        "units: 1 call, 1 page, 0 items",
        "live.yaml: 1 interactions",
    ]
    assert Path("suite/base/orgUnits.json").is_file()


def test_a_failure_is_an_exit_code_and_what_was_answered_is_kept(
    live: Callable[[Script], None],
) -> None:
    def script(recorder: Recorder) -> Iterator[capturing.CallResult]:
        yield from fine(recorder)
        yield done(CallOutcome(failure=Failure(403, "not for ann@corp-of-ours.net")))

    live(script)
    result = invoke("--cassette", "live.yaml")
    assert result.exit_code == 1
    assert "failed 403" in result.stderr
    assert "ann@corp-of-ours.net" not in result.output
    assert Path("live.yaml").is_file()


@pytest.mark.parametrize("error", [CaptureError("full"), MockServerError("refused")], ids=str)
def test_what_was_answered_before_an_error_is_kept(
    live: Callable[[Script], None], error: MockServerError
) -> None:
    def script(recorder: Recorder) -> Iterator[capturing.CallResult]:
        yield from fine(recorder)
        raise error

    live(script)
    with pytest.raises(type(error), match=error.message):
        invoke("--cassette", "live.yaml")
    assert Path("live.yaml").is_file()


def test_a_capture_that_would_leak_is_not_saved(live: Callable[[Script], None]) -> None:
    def script(recorder: Recorder) -> Iterator[capturing.CallResult]:
        yield from fine(recorder)
        raise LeakError("left", ["interaction 2"])

    live(script)
    with pytest.raises(LeakError):
        invoke("--cassette", "live.yaml")
    assert not Path("live.yaml").exists()
    assert Path("live.recording.yaml").is_file()


def test_a_capture_that_is_stopped_keeps_what_was_answered(
    live: Callable[[Script], None],
) -> None:
    def script(recorder: Recorder) -> Iterator[capturing.CallResult]:
        yield from fine(recorder)
        raise KeyboardInterrupt

    live(script)
    result = invoke("--cassette", "live.yaml")
    assert result.exit_code == 130
    assert "stopped; what was answered is kept" in result.stderr
    assert Path("live.yaml").is_file()


def test_a_cassette_or_a_base_that_is_there_is_not_written_over(
    live: Callable[[Script], None],
) -> None:
    live(fine)
    invoke("--cassette", "live.yaml", "--suite", "suite")
    with pytest.raises(MockServerError, match=r"live\.yaml is there already"):
        invoke("--cassette", "live.yaml")
    with pytest.raises(MockServerError, match=r"base/.* is there already"):
        invoke("--cassette", "other.yaml", "--suite", "suite")
    assert invoke("--cassette", "live.yaml", "--mode", "all").exit_code == 0
    with pytest.raises(MockServerError, match="none of once, all, refresh"):
        invoke("--cassette", "live.yaml", "--mode", "new_episodes")


CALL = PlannedCall(id="members", method="directory.members.list")


def test_nothing_is_shown_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with show_calls(2, str) as started:
        started(PlanStep(CALL, "ann@example.com", {}), 0, 2)
    assert capsys.readouterr().err == ""


def test_a_terminal_shows_the_call_and_what_it_is_made_for_redacted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with show_calls(2, lambda text: text.replace("ann", "user-1")) as started:
        started(PlanStep(CALL, "ann@example.com", {}), 0, 2)
        started(PlanStep(CALL, "", {}), 0, 1)
    shown = capsys.readouterr().err
    assert "ann@" not in shown
    assert "members" in shown


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--verbose"], "understudy: units: directory.orgunits.list: 1 pages, 0 items"),
        (["--log-format", "text"], "understudy: units: directory.orgunits.list: 1 pages, 0 items"),
        (
            ["--log-format", "json"],
            '"call":"units","about":"","method_id":"directory.orgunits.list","pages":1,"items":0,'
            '"error":""}',
        ),
    ],
    ids=["verbose", "text", "json"],
)
def test_each_call_has_a_line_when_asked_for(
    live: Callable[[Script], None], options: list[str], line: str
) -> None:
    live(fine)
    assert line in invoke("--cassette", "c.yaml", *options).stderr
