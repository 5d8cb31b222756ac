import pytest

from mockserver.capture.google import PlanStep
from mockserver.capture.google.plans import PlannedCall
from mockserver.cli.capture_output import show_calls

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
