import asyncio
import errno
import os
import re
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pytest

from harness.agents import AgentFailedError, DriverOptions, Task, Transcript, build_driver
from harness.agents.function import FunctionAgent, load_function
from harness.agents.function_child import call_function, error_line, import_function, json_line
from harness.agents.protocol import AgentUnreachableError
from harness.errors import HarnessError
from tests.harness.agents.test_processes import is_alive
from tests.harness.records import case
from tests.patience import PATIENCE_S, settle, until

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


def without_memory(*_: Any) -> str:
    raise MemoryError


def without_descriptors(*_: Any) -> str:
    error = URLError("[Errno 24] Too many open files")
    error.__context__ = OSError(errno.EMFILE, "Too many open files")  # as urllib leaves it
    raise error


def without_threads(*_: Any) -> str:
    raise RuntimeError("can't start new thread")


async def without_buffers(*_: Any) -> str:
    raise ConnectionError("all attempts failed") from OSError(errno.ENOBUFS, "No buffer space")


@pytest.mark.parametrize(
    ("function", "short"),
    [
        pytest.param(without_memory, "memory", id="memory"),
        pytest.param(without_descriptors, "open files", id="descriptors"),
        pytest.param(without_threads, "threads", id="threads"),
        pytest.param(without_buffers, "memory", id="buffers"),
    ],
)
async def test_what_a_shared_process_runs_out_of_is_not_the_agents_failure(
    function: Any, short: str, make_task: MakeTask
) -> None:
    transcript = Transcript()
    with pytest.raises(AgentUnreachableError, match=f"had no more {short}: leave out --no-isolate"):
        await FunctionAgent(function).converse(make_task(), transcript)
    assert "the agent raised" in transcript.attempts[0].error


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


AGENT = """
import asyncio, atexit, json, os, pathlib, signal, subprocess, sys, threading, time

said = []

def good(messages, environment):
    print("noise")
    return messages[-1]["content"] + " " + environment["MOCK_SESSION"] + environment["WORKSPACE"]

async def structured(messages, environment):
    return {"text": "fine", "rounds": 2, "metadata": {"cut": "\\ud83e", "nan": float("nan")}}

def promising(messages, environment):
    return structured(messages, environment)

def nothing(messages, environment):
    pass

def telling(messages, environment):
    return {"text": " ".join(sorted(os.environ)), "metadata": {"given": sorted(environment)}}

def remembering(messages, environment):
    said.append(messages[-1]["content"])
    return " ".join([*said, str(len(messages))])

def hanging(messages, environment):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    pathlib.Path("pids").write_text(f"{os.getpid()} {child.pid}")
    os.rename("pids", "ready")
    while True:
        pass

def leaving_much_behind(messages, environment):
    child = subprocess.Popen(["sleep", "600"], start_new_session=True)
    threading.Thread(target=time.sleep, args=(600,)).start()
    os.chdir("/")
    os.environ.clear()
    json.dumps = json.loads = open = None
    sys.stdout.write("x" * 10_000_000)
    sys.stdout.close()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    return str(child.pid)

def doubling(messages, environment):
    os.fork()
    return messages[-1]["content"]

def tidying(messages, environment):
    atexit.register(pathlib.Path("tidied").touch)
    return "fine"

def raising(messages, environment):
    class Odd(Exception):
        def __str__(self):
            raise ValueError
    raise {"ValueError": ValueError("no idea"), "SystemExit": SystemExit(7), "Odd": Odd(),
           "KeyboardInterrupt": KeyboardInterrupt(), "CancelledError": asyncio.CancelledError(),
           }[messages[-1]["content"]]

def handing_over(messages, environment):
    round = []
    round.append(round)
    deep = []
    for _ in range(300):
        deep = [deep]
    return {"text": "x", "metadata": {"a": {
        "set": {1}, "key": {(1, 2): 3}, "round": round, "deep": deep}[messages[-1]["content"]]}}

def ending(messages, environment):
    kind = messages[-1]["content"]
    if kind == "exit":
        sys.stderr.write("out of here\\n")
        sys.stderr.flush()
        os._exit(3)
    if kind == "signal":
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "closed":
        os.closerange(3, 256)
        return "fine"
    if kind == "much":
        return "x" * 9_000_000
    if kind == "other":
        for number in range(3, 256):
            try:
                os.write(number, b"[1]\\n")
            except OSError:
                pass
    if kind == "no JSON":
        for number in range(3, 256):
            try:
                os.write(number, b"fine\\n")
            except OSError:
                pass
    return "fine"
"""


@pytest.fixture
def options(tmp_path: Path) -> DriverOptions:
    (tmp_path / "lonely.py").write_text(AGENT, encoding="utf-8")
    return DriverOptions(folder=tmp_path, grace_s=0.1, env={"NAMED": "x"})


def task(tmp_path: Path, *prompts: str) -> Task:
    (tmp_path / "work").mkdir()
    env = {"MOCK_SESSION": "s-1"}
    return Task(case(), prompts or ("Well?",), env=env, folder=lambda: tmp_path / "work")


async def isolated_converse(name: str, options: DriverOptions, *prompts: str) -> Transcript:
    transcript = Transcript()
    driver = build_driver(f"python:lonely:{name}", options)
    await driver.converse(task(options.folder, *prompts), transcript)
    await driver.close()
    return transcript


async def test_a_function_answers_from_its_own_process(options: DriverOptions) -> None:
    transcript = await isolated_converse("good", options)
    assert transcript.replies[0].text == f"Well? s-1{options.folder / 'work'}"
    assert transcript.stderr_tail == "noise\n"


@pytest.mark.parametrize("name", ["structured", "promising"])
async def test_a_reply_is_that_of_any_agent(options: DriverOptions, name: str) -> None:
    (reply,) = (await isolated_converse(name, options)).replies
    assert (reply.text, reply.rounds) == ("fine", 2)
    assert reply.metadata == {"cut": "\ufffd", "nan": None}


async def test_isolated_nothing_is_an_empty_reply(options: DriverOptions) -> None:
    (reply,) = (await isolated_converse("nothing", options)).replies
    assert (reply.text, reply.reports_calls) == ("", False)


async def test_the_turns_of_a_trial_share_a_process_and_trials_do_not(
    options: DriverOptions, tmp_path: Path
) -> None:
    driver, work = build_driver("python:lonely:remembering", options), task(tmp_path, "a", "b")
    for _ in range(2):
        transcript = Transcript()
        await driver.converse(work, transcript)
        assert [reply.text for reply in transcript.replies] == ["a 1", "a b 3"]


@pytest.mark.parametrize(
    ("name", "prompt", "said"),
    [
        ("raising", "ValueError", "the agent raised ValueError: no idea"),
        ("raising", "SystemExit", "the agent raised SystemExit: 7"),
        ("raising", "KeyboardInterrupt", "the agent raised KeyboardInterrupt: "),
        ("raising", "CancelledError", "the agent raised CancelledError: "),
        ("raising", "Odd", "the agent raised Odd"),
        ("handing_over", "set", "the reply holds a set, which JSON does not have"),
        ("handing_over", "key", "the reply: keys must be str"),
        ("handing_over", "round", "nested more than 100 levels deep"),
        ("handing_over", "deep", "nested more than 100 levels deep"),
        ("ending", "exit", "with exit code 3; last line of stderr: out of here"),
        ("ending", "signal", "ended by SIGKILL (exit code -9)"),
        ("ending", "closed", "left its process before it replied, with exit code 1"),
        ("ending", "much", "longer than 8389632 bytes"),
        ("ending", "other", "is no reply of it"),
        ("ending", "no JSON", "is no JSON"),
    ],
)
async def test_what_a_function_does_to_its_process_is_its_own_failure(
    options: DriverOptions, tmp_path: Path, name: str, prompt: str, said: str
) -> None:
    """Pitfall 12: the next trial meets a process that nothing was done to."""
    driver, transcript = build_driver(f"python:lonely:{name}", options), Transcript()
    with pytest.raises(AgentFailedError, match=re.escape(said)):
        await driver.converse(task(tmp_path, prompt), transcript)
    assert said in transcript.attempts[0].error


@pytest.mark.slow
async def test_what_it_leaves_behind_ends_with_its_trial(
    options: DriverOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads, children in sessions of their own, another folder, an empty environment, a flood."""
    monkeypatch.chdir(options.folder)
    (reply,) = (await isolated_converse("leaving_much_behind", options)).replies
    await until(lambda: not is_alive(int(reply.text)))
    assert Path.cwd() == options.folder
    assert os.environ


async def test_a_copy_of_its_process_has_nothing_to_say(options: DriverOptions) -> None:
    transcript = await isolated_converse("doubling", options, "a", "b")
    assert [reply.text for reply in transcript.replies] == ["a", "b"]


async def test_a_process_that_has_said_all_may_tidy_up(options: DriverOptions) -> None:
    await isolated_converse("tidying", options)
    assert (options.folder / "work" / "tidied").exists()


async def test_one_that_hangs_is_stopped(options: DriverOptions, tmp_path: Path) -> None:
    """Pitfall 14: a thread could not be."""
    driver, ready = build_driver("python:lonely:hanging", options), tmp_path / "work" / "ready"
    trial = asyncio.create_task(driver.converse(task(tmp_path), Transcript()))
    await until(ready.exists)
    trial.cancel()
    with pytest.raises(asyncio.CancelledError):
        await trial
    pids = ready.read_text(encoding="utf-8").split()
    assert not is_alive(int(pids[0]))
    await until(lambda: not is_alive(int(pids[1])))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("lonely:better", "", "module 'lonely' has no function 'better'"),
        ("lonely:said", "", "has no function 'said'"),
        ("lonely:", "", "names no function"),
        ("lonely", "", "names no function"),
        ("nowhere:good", "", "cannot import the agent 'nowhere': ModuleNotFoundError"),
        ("broken:good", "1/0", "cannot import the agent 'broken': ZeroDivisionError"),
        ("broken:good", "import sys; sys.exit(4)", "'broken': SystemExit: 4"),
        ("broken:good", "import os; os._exit(4)", "with exit code 4"),
    ],
)
def test_a_function_that_is_not_there_is_told_before_anything_is_run(
    options: DriverOptions, name: str, text: str, said: str
) -> None:
    (options.folder / "broken.py").write_text(text, encoding="utf-8")
    with pytest.raises(HarnessError, match=re.escape(said)):
        build_driver(f"python:{name}", options)


def test_an_import_without_an_end_is_told(
    options: DriverOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.agents.function.LOOK_S", 0.01)
    with pytest.raises(HarnessError, match=r"takes longer than 0\.01 s"):
        build_driver("python:lonely:good", options)


async def test_modules_are_found_where_the_harness_finds_them(
    options: DriverOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Relative places of modules are meant from where the harness was started."""
    (options.folder / "more").mkdir()
    (options.folder / "more" / "beside.py").write_text("NAME = 'more'", encoding="utf-8")
    inner = "def answer(messages, environment):\n    import beside\n    return beside.NAME\n"
    (options.folder / "lazy.py").write_text(inner, encoding="utf-8")
    monkeypatch.chdir(options.folder)
    monkeypatch.syspath_prepend("more")
    monkeypatch.setenv("PYTHONPATH", "more")
    driver, transcript = build_driver("python:lazy:answer", options), Transcript()
    await driver.converse(task(options.folder), transcript)
    assert transcript.replies[0].text == "more"


async def test_tokens_of_our_own_servers_are_not_handed_on(
    options: DriverOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MOCKSERVER_TOKEN", "HARNESS_TOKEN", "SOMETHING_ELSE"):
        monkeypatch.setenv(name, "s3cret")
    (reply,) = (await isolated_converse("telling", options)).replies
    names = reply.text.split()
    assert {"SOMETHING_ELSE", "MOCK_SESSION", "NAMED"} <= set(names)
    assert not {"MOCKSERVER_TOKEN", "HARNESS_TOKEN"} & set(names)
    assert reply.metadata == {"given": ["MOCK_SESSION", "NAMED", "WORKSPACE"]}


def test_the_childs_program_by_itself() -> None:
    """As its process runs it, where coverage does not look."""
    assert import_function("json:dumps")[1] == ""
    with ExitStack() as stack:
        turn = {"messages": ["hi"], "environment": {}}
        assert call_function(lambda messages, _: messages[0], turn, stack) == {"value": "hi"}
    assert json_line({"value": "hi"}) == b'{"value": "hi"}\n'
    assert error_line(ValueError("x")) == "ValueError: x"
