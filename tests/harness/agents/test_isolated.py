import asyncio
import json
from pathlib import Path

import pytest

from harness.agents import AgentFailedError, DriverOptions, Task, Transcript, build_driver
from harness.agents.isolated import answer
from harness.errors import HarnessError
from tests.harness.agents.test_processes import is_alive
from tests.harness.records import case
from tests.patience import until

AGENT = """
import os, time

def good(messages, environment):
    print("noise")
    return messages[-1]["content"] + " " + environment["MOCK_SESSION"] + environment["WORKSPACE"]

async def structured(messages, environment):
    return {"text": "fine", "rounds": 2}

def nothing(messages, environment):
    pass

def broken(messages, environment):
    raise ValueError("no idea")

def telling(messages, environment):
    return " ".join(sorted(environment))

def hanging(messages, environment):
    with open("pid", "w") as file:
        file.write(str(os.getpid()))
    while True:
        pass
"""


@pytest.fixture
def options(tmp_path: Path) -> DriverOptions:
    (tmp_path / "lonely.py").write_text(AGENT, encoding="utf-8")
    return DriverOptions(folder=tmp_path, isolate=True, grace_s=0.1)


def task(tmp_path: Path) -> Task:
    (tmp_path / "work").mkdir()
    return Task(case(), ("Well?",), env={"MOCK_SESSION": "s-1"}, workspace=tmp_path / "work")


async def test_a_function_answers_from_its_own_process(
    options: DriverOptions, tmp_path: Path
) -> None:
    transcript = Transcript()
    await build_driver("python:lonely:good", options).converse(task(tmp_path), transcript)
    assert transcript.replies[0].text == f"Well? s-1{tmp_path / 'work'}"


async def test_what_it_raises_is_the_agents_failure(options: DriverOptions, tmp_path: Path) -> None:
    driver = build_driver("python:lonely:broken", options)
    with pytest.raises(AgentFailedError, match="ValueError: no idea"):
        await driver.converse(task(tmp_path), Transcript())


async def test_one_that_hangs_is_stopped(options: DriverOptions, tmp_path: Path) -> None:
    """Pitfall 14: a thread could not be."""
    driver, pid_file = build_driver("python:lonely:hanging", options), tmp_path / "work" / "pid"
    trial = asyncio.create_task(driver.converse(task(tmp_path), Transcript()))
    await until(lambda: pid_file.exists() and pid_file.read_text(encoding="utf-8"))
    trial.cancel()
    with pytest.raises(asyncio.CancelledError):
        await trial
    pid = pid_file.read_text(encoding="utf-8")
    assert not is_alive(int(pid))


def test_a_function_that_is_not_there_is_told_before_anything_is_run(
    options: DriverOptions,
) -> None:
    with pytest.raises(HarnessError, match="has no function 'better'"):
        build_driver("python:lonely:better", options)


@pytest.mark.parametrize(
    ("name", "reply"), [("structured", {"text": "fine", "rounds": 2}), ("nothing", {"text": ""})]
)
def test_a_reply_is_one_line(options: DriverOptions, name: str, reply: object) -> None:
    asked = json.dumps({"messages": [{"role": "user", "content": "Well?"}]}).encode()
    assert json.loads(answer(f"lonely:{name}", options.folder, asked)) == reply


async def test_tokens_of_our_own_servers_are_not_handed_on(
    options: DriverOptions, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("MOCKSERVER_TOKEN", "HARNESS_TOKEN", "SOMETHING_ELSE"):
        monkeypatch.setenv(name, "s3cret")
    driver = build_driver("python:lonely:telling", options)
    transcript = Transcript()
    await driver.converse(Task(case=case(), prompts=("Go",), workspace=tmp_path), transcript)
    named = transcript.replies[0].text.split()
    assert "SOMETHING_ELSE" in named
    assert not {"MOCKSERVER_TOKEN", "HARNESS_TOKEN"} & set(named)
