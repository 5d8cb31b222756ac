from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness import server
from harness.cli.main import app
from harness.server import Settings


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """What a server would have been started with."""
    kept: list[Settings] = []

    def serve(settings: Settings, _clock: Any, *, ready: Any) -> None:
        kept.append(settings)
        ready("http://127.0.0.1:1")

    monkeypatch.setattr(server, "serve", serve)
    return kept


@pytest.mark.parametrize(
    ("options", "token"),
    [
        ([], ""),
        (["--token", "mine"], "mine"),
        (["--host", "0.0.0.0", "--token", "mine"], "mine"),
        (["--host", "localhost"], ""),
    ],
    ids=str,
)
def test_a_token_is_what_was_said(started: list[Settings], options: list[str], token: str) -> None:
    assert (
        CliRunner().invoke(app, ["serve", *options]).output
        == "understudy console ready at http://127.0.0.1:1\n"
    )
    assert started[0].token == token


def test_where_others_can_reach_it_a_token_is_made_up_and_told(started: list[Settings]) -> None:
    result = CliRunner().invoke(app, ["serve", "--host", "0.0.0.0", "--allow-host", "Evals"])
    assert len(started[0].token) > 20
    assert f"requests must bear this token: {started[0].token}" in result.stderr
    assert started[0].allowed_hosts == ("evals",)


def test_programs_are_allowed_on_request_alone(started: list[Settings], tmp_path: Path) -> None:
    CliRunner().invoke(app, ["serve", "--run-dir", str(tmp_path)])
    CliRunner().invoke(app, ["serve", "--allow-subprocess", "--max-runs", "5"])
    assert [each.allow_subprocess for each in started] == [False, True]
    assert (started[0].runs, started[1].max_runs) == (tmp_path, 5)


@pytest.mark.parametrize(
    ("options", "log_format"),
    [([], None), (["--verbose"], "text"), (["--log-format", "json"], "json")],
    ids=str,
)
def test_requests_are_written_when_asked_for(
    started: list[Settings], options: list[str], log_format: str | None
) -> None:
    assert CliRunner().invoke(app, ["serve", *options]).exit_code == 0
    assert started[0].log_format == log_format


def test_a_folder_of_suites_that_is_named_is_there(started: list[Settings]) -> None:
    done = CliRunner().invoke(app, ["serve", "--suites", "nowhere"])
    assert str(done.exception) == "no folder 'nowhere' (name the folder of suites)"
    assert not started
