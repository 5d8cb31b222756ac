import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.demo.coding.command import main

Ask = Callable[..., tuple[dict[str, Any], int]]
TASK = "How many lines of relay.log have the level ERROR?"


@pytest.fixture
def ask(
    folder: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Ask:
    def asked(task: str, *arguments: str) -> tuple[dict[str, Any], int]:
        monkeypatch.chdir(folder("count-errors"))
        monkeypatch.setattr("sys.stdin", io.StringIO(task))
        code = main([*arguments])
        return json.loads(capsys.readouterr().out), code

    return asked


def test_one_json_object_tells_answer_calls_and_rounds(ask: Ask) -> None:
    said, code = ask(TASK)
    assert code == 0
    assert said["text"] == "relay.log has 5 lines of the level ERROR."
    assert [call["name"] for call in said["toolCalls"]] == ["run_command"]
    assert said["rounds"] == 2


def test_a_wrong_exit_is_the_opposite_of_the_right_one(ask: Ask) -> None:
    assert ask(TASK, "--flawed", "wrong-exit")[1] == 1


def test_an_unknown_flaw_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--flawed", "lazy"])
    assert "invalid choice" in capsys.readouterr().err
