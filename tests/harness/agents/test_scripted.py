from collections.abc import Callable
from pathlib import Path

import pytest

from harness.agents import AgentFailedError, AgentUnreachableError, Scripted, Task, Transcript
from harness.agents.scripted import read_script
from harness.errors import HarnessError

MakeTask = Callable[..., Task]


def script(path: Path, text: str) -> Path:
    file = path / "script.yaml"
    file.write_text(text, encoding="utf-8")
    return file


async def test_a_script_is_played_turn_by_turn(tmp_path: Path, make_task: MakeTask) -> None:
    text = "EC-001:\n  - One\n  - {text: Two, toolCalls: [{name: listOrgUnits}]}\nEC-002: Alone\n"
    driver, transcript = Scripted(read_script(script(tmp_path, text))), Transcript()
    await driver.converse(make_task("First", "Second"), transcript)
    await driver.close()
    assert [reply.text for reply in transcript.replies] == ["One", "Two"]
    assert transcript.replies[1].tool_calls[0].name == "listOrgUnits"


async def test_a_case_without_lines_says_nothing_about_an_agent(make_task: MakeTask) -> None:
    with pytest.raises(AgentUnreachableError, match="no replies for case EC-001"):
        await Scripted({}).converse(make_task(), Transcript())


async def test_a_script_that_is_too_short_keeps_what_was_said(make_task: MakeTask) -> None:
    transcript = Transcript()
    with pytest.raises(AgentFailedError, match="ends before turn 2"):
        await Scripted({"EC-001": ("One",)}).converse(make_task("First", "Second"), transcript)
    assert len(transcript.replies) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("- One", "object of case id", id="list"),
        pytest.param("EC-001: [{foo: 1}]", "yaml:1: expected text", id="no reply"),
        pytest.param("a: [", "not YAML", id="broken"),
    ],
)
def test_a_script_that_makes_no_sense_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(HarnessError, match=said):
        read_script(script(tmp_path, text))


def test_a_script_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="No such file"):
        read_script(tmp_path / "none.yaml")
