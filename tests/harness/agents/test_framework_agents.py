"""How agents of frameworks are found and asked, whatever the framework; a small one plays."""

import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from harness.agents import (
    AgentFailedError,
    DriverOptions,
    Task,
    Transcript,
    build_driver,
    starts_program,
)
from harness.agents.frameworks import FRAMEWORKS, Framework
from harness.agents.function import IsolatedAgent
from harness.agents.function_child import connect_agent, json_line, load_adapter, plain_value
from harness.errors import HarnessError

ADAPTER = """
PACKAGE = "small-agents"
MODULES = ("{needs}",)
WANTED = "agent of small-agents (Agent)"


class Conversation:
    def __init__(self, agent):
        self.agent = agent

    async def __call__(self, messages, environment):
        self.agent.asked.append(messages[-1]["content"])
        if self.agent.asked[-1] == "Break.":
            error = RuntimeError("no such model")
            error.understudy_partial = {{"text": "", "toolCalls": [{{"name": "look"}}]}}
            raise error
        if self.agent.asked[-1] == "Break at once.":
            error = RuntimeError("no such model")
            error.understudy_partial = []
            raise error
        return {{"text": self.agent.name + str(len(self.agent.asked)), "rounds": 1,
                 "toolCalls": [{{"name": "look", "args": {{}}, "result": {{1, }}}}]}}

    async def aclose(self):
        self.agent.is_closed = True


def recognises(value):
    return hasattr(value, "asked")


def connect(agent):
    if agent.name == "odd":
        raise TypeError("it has no place for a prompt")
    return Conversation(agent)
"""
AGENT = """
import contextlib, os

class Agent:
    def __init__(self, name="plain"):
        self.name, self.asked, self.is_closed = name, [], False

class Group:
    agent = Agent("nested")

agent, odd, number = Agent(), Agent("odd"), 3

def make():
    return Agent("made")

async def promise():
    return Agent("promised")

@contextlib.asynccontextmanager
async def enter():
    yield Agent("entered")

def wrong():
    return 3

def broken():
    return Agent(os.environ["NOT_SET"])
"""


@dataclass(frozen=True)
class SmallFramework(Framework):
    file: Path = Path()

    @property
    @override
    def path(self) -> Path:
        return self.file


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    path = tmp_path / "adapter.py"
    path.write_text(ADAPTER.format(needs="json.decoder"))
    return path


@pytest.fixture
def small(adapter: Path) -> Framework:
    return SmallFramework("small", "adapter", "small:my_agent:agent", file=adapter)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "small_agent.py").write_text(AGENT)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "small_agent", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("agent", "plain1"),
        ("Group.agent", "nested1"),
        ("make", "made1"),
        ("promise", "promised1"),
        ("enter", "entered1"),
    ],
)
def test_an_agent_is_a_value_or_what_a_function_makes(
    name: str, text: str, adapter: Path, folder: Path
) -> None:
    loaded, why = load_adapter(str(adapter))
    assert why == ""
    with ExitStack() as stack:
        converse, why = connect_agent(loaded, f"small_agent:{name}", stack, look=False)
        assert why == ""
        from harness.agents.function_child import call_function

        turn = {"messages": [{"content": "Go."}], "environment": {}}
        assert call_function(converse, turn, stack)["value"]["text"] == text
        agent = converse.agent
    assert agent.is_closed


@pytest.mark.parametrize(
    ("name", "told", "told_early"),
    [
        pytest.param("no_module:agent", "No module named 'no_module'", True, id="module"),
        pytest.param("small_agent:nobody", "has no attribute 'nobody'", True, id="attribute"),
        pytest.param("small_agent:number", "is a int, which is no agent of small", True, id="type"),
        pytest.param("small_agent:odd", "it has no place for a prompt", True, id="no place"),
        pytest.param("small_agent:wrong", "is a int, which is no agent", False, id="made wrong"),
        pytest.param("small_agent:broken", "KeyError: 'NOT_SET'", False, id="maker"),
        pytest.param("needs_session:agent", "KeyError: 'MCP'", False, id="needs a session"),
        pytest.param("no_python:agent", "SyntaxError", True, id="no Python"),
    ],
)
def test_what_is_no_agent_is_told(
    name: str, told: str, told_early: bool, adapter: Path, folder: Path
) -> None:
    (folder / "needs_session.py").write_text("import os\nos.environ['MCP']\n")
    (folder / "no_python.py").write_text("def\n")
    loaded, _ = load_adapter(str(adapter))
    with ExitStack() as stack:
        _, why = connect_agent(loaded, name, stack, look=False)
        assert told in why
        _, early = connect_agent(loaded, name, stack, look=True)
        assert early == (why if told_early else "")


@pytest.mark.parametrize("needs", ["no_such_package", "no_such_package.part"])
def test_a_framework_that_is_not_installed_is_told_with_its_package(
    needs: str, tmp_path: Path
) -> None:
    path = tmp_path / "adapter.py"
    path.write_text(ADAPTER.format(needs=needs))
    assert load_adapter(str(path)) == (
        None,
        f"small-agents is not installed where the agent runs, {sys.executable}:"
        " pip install 'small-agents'",
    )
    assert load_adapter("adapter.txt")[1] == "no adapter at 'adapter.txt'"


def test_values_of_frameworks_become_json() -> None:
    class Model:
        def model_dump(self, mode: str) -> Any:
            return {"mode": mode}

    line = json_line({"value": [Model(), {1}, Path("a")]}, plain_value)
    assert line == b'{"value": [{"mode": "json"}, [1], "a"]}\n'


async def test_an_agent_is_asked_turn_by_turn_in_a_process_of_its_own(
    small: Framework, folder: Path, make_task: Callable[..., Task]
) -> None:
    driver = IsolatedAgent("small_agent.py:make", DriverOptions(folder=folder), small)
    transcript = Transcript()
    await driver.converse(make_task("Go.", "On."), transcript)
    assert [each.text for each in transcript.replies] == ["made1", "made2"]
    assert transcript.replies[0].tool_calls[0].result == [1]
    assert transcript.startup_ms > 0


@pytest.mark.parametrize(("prompt", "replies"), [("Break.", 2), ("Break at once.", 1)])
async def test_what_was_done_before_an_error_is_kept(
    prompt: str, replies: int, small: Framework, folder: Path, make_task: Callable[..., Task]
) -> None:
    driver = IsolatedAgent("small_agent:agent", DriverOptions(folder=folder), small)
    transcript = Transcript()
    with pytest.raises(AgentFailedError, match="RuntimeError: no such model"):
        await driver.converse(make_task("Go.", prompt), transcript)
    assert len(transcript.replies) == replies
    assert [each.error for each in transcript.attempts][1].endswith("no such model")


async def test_the_agent_runs_in_the_interpreter_and_on_the_path_that_are_named(
    small: Framework, folder: Path, make_task: Callable[..., Task]
) -> None:
    (folder / "lib").mkdir()
    (folder / "lib" / "shelf.py").write_text("name = 'shelved'\n")
    (folder / "own.py").write_text(f"{AGENT}\nimport shelf\nagent.name = shelf.name\n")
    options = DriverOptions(
        folder=folder, python=sys.executable, env={"PYTHONPATH": str(folder / "lib")}
    )
    for each in (options, DriverOptions(folder=folder, env=options.env)):
        transcript = Transcript()
        await IsolatedAgent("own:agent", each, small).converse(make_task(), transcript)
        assert transcript.replies[0].text == "shelved1"


def test_a_wrong_spec_is_refused_before_anything_runs(small: Framework, folder: Path) -> None:
    with pytest.raises(HarnessError, match="'small:agent' names no agent"):
        IsolatedAgent("agent", DriverOptions(folder=folder), small)
    with pytest.raises(HarnessError, match="which is no agent of small-agents"):
        IsolatedAgent("small_agent:number", DriverOptions(folder=folder), small)


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_every_framework_has_its_adapter(name: str) -> None:
    framework = FRAMEWORKS[name]
    assert framework.path.is_file()
    assert framework.example.startswith(f"{name}:")
    assert starts_program(framework.example)
    with pytest.raises(HarnessError, match="run in processes of their own"):
        build_driver(framework.example, DriverOptions(isolate=False))
