"""What we ask of Ray, of a stand-in for it; a real cluster is met in tests/acceptance."""

import asyncio
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from harness.agents import DriverOptions
from harness.errors import HarnessError, InfrastructureError
from harness.runner import RunSettings
from harness.runner.executors.package import Travel
from harness.runner.executors.protocol import AgentSettings, WorkerLostError, WorkerSetup
from harness.runner.executors.ray_child import RayChild
from harness.runner.executors.specs import make_place
from harness.runner.executors.worker import DONE, FAILED
from tests.casefiles import put
from tests.patience import settle


class RayError(Exception):
    pass


class Actor:
    """An actor whose methods answer as a real one's references do."""

    def __init__(self, child: Any) -> None:
        self.child = child

    def __getattr__(self, name: str) -> Any:
        return SimpleNamespace(remote=getattr(self.child, name))


class FakeChild:
    answer = DONE + b"worker 7 on host-1"

    async def open(self, setup: bytes) -> bytes:
        self.setup = WorkerSetup.model_validate_json(setup)
        if self.answer == b"late":
            await asyncio.Event().wait()
        return self.answer

    async def ask(self, request: bytes) -> bytes:
        if request == b"die":
            raise RayError("\n\nThe actor died.\n\tmore")
        return DONE + request

    async def close(self) -> None:
        return


class Ray(ModuleType):
    """Notes how it is started, and what is killed."""

    def __init__(self) -> None:
        super().__init__("ray")
        self.exceptions = SimpleNamespace(RayError=RayError)
        self.started: list[dict[str, Any]] = []
        self.killed: list[Actor] = []
        self.actors: list[Actor] = []
        self.cluster_is_there = True
        self.free = {"CPU": 4.0}

    def init(self, **options: Any) -> None:
        self.started.append(options)
        if options["address"] == "auto" and not self.cluster_is_there:
            raise ConnectionError("Could not find any running Ray instance.")
        if options["address"] == "nowhere:1":
            raise RuntimeError("Version mismatch: The cluster was started with:\n Ray: 1\n")

    def available_resources(self) -> dict[str, float]:
        return self.free

    def remote(self, **options: Any) -> Callable[[type], Any]:
        assert options == {"num_cpus": 1, "max_restarts": 0}

        def make() -> Actor:
            self.actors.append(Actor(FakeChild()))
            return self.actors[-1]

        return lambda kind: SimpleNamespace(remote=make) if kind is RayChild else None

    def kill(self, actor: Actor) -> None:
        self.killed.append(actor)

    def is_initialized(self) -> bool:
        return bool(self.started)

    def shutdown(self) -> None:
        self.started.append({"address": "none any more"})


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Ray:
    made = Ray()
    monkeypatch.setitem(sys.modules, "ray", made)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "")
    return made


def place(folder: Path, spec: str = "ray", most: int | None = None) -> Any:
    put(folder / "evals" / "cases.yaml", "cases: []")
    setup = WorkerSetup(
        suite=str(folder / "evals"),
        settings=RunSettings(),
        agent=f"command:python {folder}/agent.py",
        driver=AgentSettings.of(DriverOptions(token="secret-1")),
        folder=str(folder),
    )
    return make_place(spec, setup, Travel(folder, folder / "evals", most=most))


def packed(folder: Path) -> list[str]:
    return [each.name for each in folder.glob("harness-ray-*/*")]


async def test_workers_get_code_by_ray_and_secrets_by_us(
    tmp_path: Path, ray: Ray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    cluster = place(tmp_path / "here", "ray:10.0.0.5:6379")
    assert await cluster.open(20) == 4
    (started,) = ray.started
    environment = started["runtime_env"]
    assert started["address"] == "10.0.0.5:6379"
    assert [Path(each).name for each in environment["py_modules"]] == ["harness", "mockserver"]
    assert packed(tmp_path) == ["package.zip"]
    assert "secret-1" not in str(environment)
    worker = await cluster.start()
    setup = ray.actors[0].child.setup
    assert (setup.folder, setup.suite) == ("work", "work/evals")
    assert (setup.agent, setup.driver.token) == ("command:python ./agent.py", "secret-1")
    assert worker.name == "worker 7 on host-1"
    assert await worker.ask(b"x") == DONE + b"x"
    with pytest.raises(WorkerLostError, match="worker 7 on host-1: The actor died"):
        await worker.ask(b"die")
    await worker.stop()
    assert ray.killed == ray.actors
    await cluster.close()
    assert packed(tmp_path) == []


@pytest.mark.parametrize(
    ("there", "named", "addresses"),
    [
        (True, "", ["auto"]),
        (False, "", ["auto", "local"]),
        (True, "10.0.0.9:6379", ["10.0.0.9:6379"]),
    ],
)
async def test_which_cluster_is_used(
    there: bool,
    named: str,
    addresses: list[str],
    tmp_path: Path,
    ray: Ray,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that we start listens on loopback alone, and reports to nobody."""
    if named:
        monkeypatch.setenv("RAY_ADDRESS", named)
    ray.cluster_is_there = there
    cluster = place(tmp_path)
    await cluster.open(1)
    assert [each["address"] for each in ray.started] == addresses
    if addresses[-1] == "local":
        assert ray.started[-1]["_node_ip_address"] == "127.0.0.1"
    await cluster.close()


@pytest.mark.parametrize(
    ("free", "trials", "most", "count"),
    [
        ({"CPU": 4.0}, 9, None, 4),
        ({"CPU": 4.0}, 3, None, 3),
        ({"CPU": 4.0}, 9, 2, 2),
        ({}, 9, None, 1),
    ],
)
async def test_how_many_workers_there_are(
    free: dict[str, float], trials: int, most: int | None, count: int, tmp_path: Path, ray: Ray
) -> None:
    ray.free = free
    cluster = place(tmp_path, most=most)
    assert await cluster.open(trials) == count
    await cluster.close()


async def test_a_cluster_that_cannot_be_used_is_told(tmp_path: Path, ray: Ray) -> None:
    cluster = place(tmp_path, "ray:nowhere:1")
    with pytest.raises(HarnessError, match=r"cannot use ray:nowhere:1: Version mismatch: The"):
        await cluster.open(1)
    await cluster.close()


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (FAILED + b'{"message": "no such agent", "hint": ""}', HarnessError, "no such agent"),
        (None, InfrastructureError, "a worker of ray did not start: a worker: gone"),
    ],
)
async def test_a_worker_that_does_not_start_is_told(
    answer: bytes | None,
    kind: type[HarnessError],
    said: str,
    tmp_path: Path,
    ray: Ray,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def gone(_self: FakeChild, _setup: bytes) -> bytes:
        raise RayError("gone")

    if answer is None:
        monkeypatch.setattr(FakeChild, "open", gone)
    else:
        monkeypatch.setattr(FakeChild, "answer", answer)
    cluster = place(tmp_path)
    await cluster.open(1)
    with pytest.raises(kind, match=said):
        await cluster.start()
    await cluster.close()


async def test_a_worker_that_is_not_waited_for_any_more_is_killed(
    tmp_path: Path, ray: Ray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeChild, "answer", b"late")
    cluster = place(tmp_path)
    await cluster.open(1)
    starting = asyncio.create_task(cluster.start())
    await settle()
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert ray.killed == ray.actors
    await cluster.close()


def test_without_ray_its_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(HarnessError, match="--on ray needs the extra `ray`") as told:
        place(tmp_path)
    assert "pip install 'understudy[ray]'" in told.value.hint


@pytest.mark.slow
async def test_the_other_side_opens_answers_and_closes(office: Path) -> None:
    child = RayChild()
    assert await child.ask(b"{}") == FAILED + b"it is not open"
    setup = WorkerSetup(
        suite=str(office),
        settings=RunSettings(),
        agent="nobody",
        driver=AgentSettings.of(DriverOptions()),
        folder=str(office),
    )
    assert (await child.open(setup.model_dump_json().encode())).startswith(FAILED + b'{"message":')
    await child.close()
    opened = RayChild()
    echo = setup.model_copy(update={"agent": "echo"})
    assert b" on " in await opened.open(echo.model_dump_json().encode())
    assert (await opened.ask(b'{"kind": "tell"}')).startswith(DONE)
    await opened.close()
