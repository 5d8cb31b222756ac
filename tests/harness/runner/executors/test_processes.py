"""Workers that are processes: what they answer, how they end, what is left of them."""

import asyncio
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from harness.agents import DriverOptions
from harness.errors import HarnessError
from harness.model import Canary, TrialRecord
from harness.runner import RunSettings
from harness.runner.executors import worker as workers
from harness.runner.executors.package import Travel
from harness.runner.executors.processes import Processes, ProcessWorker
from harness.runner.executors.protocol import (
    AgentSettings,
    CanaryOrder,
    CancelOrder,
    ServerKnowledge,
    TellOrder,
    TrialOrder,
    WorkerLostError,
    WorkerSetup,
)
from harness.runner.executors.specs import make_place
from harness.runner.executors.worker import CANCELLED, DONE, FAILED, TrialWorker
from tests.harness.records import case


def setup(suite: Path, agent: str, **settings: Any) -> WorkerSetup:
    return WorkerSetup(
        suite=str(suite),
        settings=RunSettings(**settings),
        agent=agent,
        driver=AgentSettings.of(DriverOptions()),
        folder=str(suite),
    )


def place(suite: Path, agent: str, count: int = 1, **settings: Any) -> Processes:
    return Processes(count, setup(suite, agent, **settings))


def order(key: int, **facts: Any) -> bytes:
    made = TrialOrder(key=key, run="run-1", case=case(id="T-1", **facts), hash="h", number=2)
    return made.model_dump_json(by_alias=True).encode()


def value(answer: bytes, kind: Any) -> Any:
    assert answer[:1] == DONE, answer
    return kind.model_validate_json(answer[1:])


@pytest.fixture
def gone() -> Iterator[list[int]]:
    """Processes that are not there any more after the test."""
    pids: list[int] = []
    yield pids
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.slow
async def test_a_worker_answers_until_it_is_killed(office: Path, gone: list[int]) -> None:
    """One worker, since each costs a start."""
    processes = place(office, "command:sh -c 'echo $$ >&2; exec sleep 60'")
    worker = await processes.start()
    assert isinstance(worker, ProcessWorker)
    canary = CanaryOrder(run="run-1", when="before").model_dump_json().encode()
    assert value(await worker.ask(canary), Canary).error == ""
    known = value(await worker.ask(TellOrder().model_dump_json().encode()), ServerKnowledge)
    assert known == ServerKnowledge(protected=True)
    assert (await worker.ask(b"{}")).startswith(FAILED + b"ValidationError")

    late = value(await worker.ask(order(1, timeout_s=1)), TrialRecord)
    assert (late.run, late.case, late.number, late.outcome) == ("run-1", "T-1", 2, "agent_error")
    gone.append(int(late.stderr_tail or 0) or worker.pid)

    trial = asyncio.create_task(worker.ask(order(2)))
    await asyncio.sleep(0)
    assert (await worker.ask(order(2))).startswith(FAILED + b"a trial with this key")
    assert await worker.ask(CancelOrder(key=2).model_dump_json().encode()) == DONE
    assert await trial == CANCELLED

    trial = asyncio.create_task(worker.ask(order(3)))
    await asyncio.sleep(0)
    await worker.ask(canary)
    os.kill(worker.pid, signal.SIGKILL)
    with pytest.raises(WorkerLostError, match=rf"worker process {worker.pid} was ended by SIGKILL"):
        await trial
    with pytest.raises(WorkerLostError, match="was ended by SIGKILL"):
        await worker.ask(canary)
    await worker.stop()
    await processes.close()
    gone.append(worker.pid)


def test_what_is_said_about_an_agent_comes_along(office: Path) -> None:
    said = DriverOptions(
        token="t", tunnel=("a.example.com",), sandbox="bubblewrap",
        sandbox_read=(office / "data",), sandbox_hidden=(Path("runs"),),
    )  # fmt: skip
    sent = setup(office, "echo").model_copy(update={"driver": AgentSettings.of(said)})
    got = WorkerSetup.model_validate_json(sent.model_dump_json(by_alias=True))
    options = got.driver.driver_options(office)
    expected = replace(said, folder=office, sandbox_hidden=(Path("runs").absolute(),))
    assert options == expected


async def test_an_agent_has_the_prices_of_its_suite(
    office: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class _MadeError(Exception):
        pass

    def build(_spec: str, options: DriverOptions) -> None:
        raise _MadeError(*options.prices)

    monkeypatch.setattr(workers, "build_driver", build)
    monkeypatch.setattr(workers, "suite_prices", lambda suite: {suite.name: None})
    with pytest.raises(_MadeError, match=office.name):
        await TrialWorker.open(setup(office, "echo"), datetime.now)


@pytest.mark.slow
async def test_an_agent_that_cannot_be_made_there_is_told(office: Path) -> None:
    processes = place(office, "scripted:nowhere.yaml")
    with pytest.raises(HarnessError, match=r"nowhere\.yaml"):
        await processes.start()
    await processes.close()


async def test_there_are_no_more_workers_than_trials(office: Path) -> None:
    processes = place(office, "echo", count=8)
    assert [await processes.open(trials) for trials in (0, 3, 9)] == [1, 3, 8]
    await processes.close()


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("processes", "--on processes: tells no number of processes"),
        ("processes:0", "--on processes:0 tells no number"),
        ("processes:513", "--on processes:513 tells no number"),
        ("processes:²", "tells no number"),
        ("cloud:4", "--on 'cloud:4' is no place for trials"),
    ],
)
def test_a_place_that_makes_no_sense_is_refused(spec: str, said: str, office: Path) -> None:
    with pytest.raises(HarnessError, match=said):
        make_place(spec, setup(office, "echo"), Travel(office, office))
