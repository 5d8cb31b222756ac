import asyncio
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.agents import AgentFailedError, Task, Transcript
from harness.agents.function import FunctionAgent, load_function
from harness.errors import HarnessError
from tests.patience import PATIENCE_S, settle

MakeTask = Callable[..., Task]


async def converse(function: Any, task: Task) -> Transcript:
    transcript = Transcript()
    driver = FunctionAgent(function)
    await driver.converse(task, transcript)
    await driver.close()
    return transcript


async def in_the_open(messages: list[dict[str, str]], environment: dict[str, str]) -> str:
    return f"{len(messages)} {environment['A']}"


def in_a_thread(messages: list[dict[str, str]], environment: dict[str, str]) -> dict[str, Any]:
    assert threading.current_thread().name == "agent"
    return {"text": f"{len(messages)} {environment['A']}", "rounds": 2}


def handing_out_an_awaitable(messages: list[Any], environment: dict[str, str]) -> Any:
    return in_the_open(messages, environment)


@pytest.mark.parametrize("function", [in_the_open, in_a_thread, handing_out_an_awaitable])
async def test_a_function_gets_the_conversation_and_the_environment(
    function: Any, make_task: MakeTask
) -> None:
    transcript = await converse(function, make_task("First", "Second", env={"A": "x"}))
    assert [reply.text for reply in transcript.replies] == ["1 x", "3 x"]


async def test_nothing_is_an_empty_reply(make_task: MakeTask) -> None:
    transcript = await converse(lambda _messages, _environment: None, make_task())
    assert transcript.replies[0].text == ""


def crashing(*_: Any) -> str:
    raise ValueError("no such unit")


def leaving(*_: Any) -> str:
    sys.exit(7)


def interrupting(*_: Any) -> str:
    raise KeyboardInterrupt


def exhausted(*_: Any) -> str:
    raise StopIteration


async def leaving_in_the_open(*_: Any) -> str:
    sys.exit(7)


async def cancelling_itself(*_: Any) -> str:
    raise asyncio.CancelledError


@pytest.mark.parametrize(
    ("function", "said"),
    [
        pytest.param(crashing, "raised ValueError: no such unit", id="crash"),
        pytest.param(leaving, "raised SystemExit: 7", id="exit"),
        pytest.param(interrupting, "raised KeyboardInterrupt", id="interrupt"),
        pytest.param(exhausted, "raised StopIteration", id="stop iteration"),
        pytest.param(leaving_in_the_open, "raised SystemExit: 7", id="async exit"),
        pytest.param(cancelling_itself, "raised CancelledError", id="async cancel"),
        pytest.param(lambda *_: {"foo": 1}, "not a JSON object with", id="no reply"),
        pytest.param(lambda *_: {"text": "x", "metadata": {"a": {1}}}, "a set", id="no JSON"),
        pytest.param(lambda *_: "x" * 9_000_000, "longer than 8388608 bytes", id="flood"),
    ],
)
async def test_a_crash_fails_the_agent_and_is_recorded(
    function: Any, said: str, make_task: MakeTask
) -> None:
    transcript = Transcript()
    with pytest.raises(AgentFailedError, match=said):
        await FunctionAgent(function).converse(make_task(), transcript)
    assert said in transcript.attempts[0].error


async def test_half_characters_of_a_function_are_replaced(make_task: MakeTask) -> None:
    text = (await converse(lambda *_: "cut \ud83e", make_task())).replies[0].text
    assert text == "cut \ufffd"


async def test_stopping_the_trial_is_not_the_agents_failure(make_task: MakeTask) -> None:
    begun = asyncio.Event()

    async def waiting(*_: Any) -> str:
        begun.set()
        await asyncio.sleep(600)
        return ""

    trial = asyncio.create_task(converse(waiting, make_task()))
    await begun.wait()
    trial.cancel()
    with pytest.raises(asyncio.CancelledError):
        await trial


async def test_a_hanging_function_does_not_hold_the_trial(make_task: MakeTask) -> None:
    released = threading.Event()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await converse(lambda *_: released.wait(PATIENCE_S), make_task())
    released.set()
    await settle()


@pytest.fixture
def module(tmp_path: Path) -> Callable[[str], str]:
    def write(text: str) -> str:
        name = f"agent_{abs(hash(str(tmp_path))):x}"
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        return name

    return write


def test_a_function_is_imported_from_the_start_folder(
    module: Callable[[str], str], tmp_path: Path
) -> None:
    name = module("def answer(messages, environment): return 'hi'")
    assert load_function(f"{name}:answer", tmp_path)([], {}) == "hi"
    assert str(tmp_path) not in sys.path


@pytest.mark.parametrize(
    ("text", "function", "said"),
    [
        pytest.param("", "answer", "has no function 'answer'", id="no function"),
        pytest.param("answer = 3", "answer", "has no function", id="no callable"),
        pytest.param("1/0", "answer", "ZeroDivisionError", id="broken module"),
        pytest.param("", "", "names no function", id="no name"),
    ],
)
def test_a_spec_that_leads_nowhere_is_refused(
    text: str, function: str, said: str, module: Callable[[str], str], tmp_path: Path
) -> None:
    with pytest.raises(HarnessError, match=said):
        load_function(f"{module(text)}:{function}", tmp_path)
