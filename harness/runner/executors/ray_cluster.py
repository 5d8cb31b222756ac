"""Workers on a cluster of Ray: `ray`, `ray:ADDRESS`.

Each worker is an actor that takes one CPU. Ray decides where it runs, and brings the code: the
folder of the run and the suite as its working folder, our packages as modules. What holds secrets
goes to the actors themselves and never into a runtime environment, which Ray shows to others.
"""

import asyncio
import contextlib
import logging
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import orjson
from typing_extensions import override

from harness.errors import HarnessError, InfrastructureError
from harness.runner.executors.package import Travel, write_package
from harness.runner.executors.protocol import Worker, WorkerLostError, WorkerPlace, WorkerSetup
from harness.runner.executors.worker import DONE

_STOP_WITHIN_S = 20.0
_NOT_PACKED = ["__pycache__", "*.pyc"]


class RayCluster(WorkerPlace):
    """A cluster of Ray.

    Args:
        address: Where it is; empty for the one at `RAY_ADDRESS` or of this machine, which is
            started where there is none.
        setup: What each worker is told first.
        travel: What goes there, and how many workers at most; one for each CPU that is free.

    Raises:
        HarnessError: Ray is not installed.
    """

    def __init__(self, address: str, setup: WorkerSetup, travel: Travel) -> None:
        try:
            import ray
        except ImportError:
            hint = "pip install 'understudy[ray]', here and on the machines of the cluster"
            raise HarnessError("--on ray needs the extra `ray`", hint=hint) from None
        self.name = f"ray:{address}" if address else "ray"
        self._ray: Any = ray
        self._address = address
        self._setup = setup
        self._travel = travel
        self._actor: Any = None
        self._content = b""
        self._folder = Path(tempfile.mkdtemp(prefix="harness-ray-"))

    @override
    async def open(self, trials: int) -> int:
        package = write_package(self._travel, self._folder / "package.zip")
        agent = self._setup.agent.replace(f"{self._travel.folder}/", "./")
        setup = self._setup.model_copy(
            update={"suite": package.suite, "folder": package.folder, "agent": agent}
        )
        self._content = setup.model_dump_json(by_alias=True).encode()
        environment = {
            "working_dir": str(package.path),
            "py_modules": [str(path) for path in _packages()],
            "excludes": _NOT_PACKED,
        }
        try:
            await asyncio.to_thread(self._connect, environment)
            free = await asyncio.to_thread(self._ray.available_resources)
        except Exception as error:  # Ray raises whatever was wrong  # noqa: BLE001
            raise HarnessError(
                f"cannot use {self.name}: {_first_line(error)}",
                hint="ray status --address ADDRESS tells whether a cluster is there",
            ) from None
        from harness.runner.executors.ray_child import RayChild

        self._actor = self._ray.remote(num_cpus=1, max_restarts=0)(RayChild)
        cpus = max(int(free.get("CPU", 1)), 1)
        return min(cpus, max(trials, 1), self._travel.most or cpus)

    def _connect(self, environment: dict[str, Any]) -> None:
        options: dict[str, Any] = {
            "runtime_env": environment,
            "log_to_driver": False,
            "logging_level": logging.ERROR,
        }
        named = self._address or os.environ.get("RAY_ADDRESS", "")
        if named:
            self._ray.init(address=named, **options)
            return
        try:
            self._ray.init(address="auto", **options)
        except ConnectionError:  # there is none: one of our own, which ends with this process
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            options |= {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
            self._ray.init(address="local", **options)

    @override
    async def start(self) -> Worker:
        worker = RayWorker(self._ray, self._actor.remote())
        try:
            answer = await worker.open(self._content)
        except WorkerLostError as error:
            raise InfrastructureError(
                f"a worker of {self.name} did not start: {error}",
                hint="its machines need Python as here, and: pip install 'understudy[ray]'",
            ) from None
        except asyncio.CancelledError:
            await worker.stop()
            raise
        if answer[:1] != DONE:
            await worker.stop()
            told = orjson.loads(answer[1:])
            raise HarnessError(f"on {self.name}: {told['message']}", hint=told["hint"])
        worker.name = answer[1:].decode()
        return worker

    @override
    async def close(self) -> None:
        if self._ray.is_initialized():
            await asyncio.to_thread(self._ray.shutdown)
        shutil.rmtree(self._folder, ignore_errors=True)


class RayWorker(Worker):
    """One actor."""

    def __init__(self, ray: Any, actor: Any) -> None:
        self.name = "a worker"
        self._ray = ray
        self._actor = actor

    async def open(self, setup: bytes) -> bytes:
        """The answer of `RayChild.open`.

        Raises:
            WorkerLostError: It did not come up.
        """
        return await self._call("open", setup)

    @override
    async def ask(self, request: bytes) -> bytes:
        return await self._call("ask", request)

    @override
    async def stop(self) -> None:
        with contextlib.suppress(WorkerLostError, TimeoutError):
            async with asyncio.timeout(_STOP_WITHIN_S):
                await self._call("close")
        with contextlib.suppress(Exception):  # gone already
            self._ray.kill(self._actor)

    async def _call(self, method: str, *arguments: bytes) -> bytes:
        try:
            return bytes(await getattr(self._actor, method).remote(*arguments) or b"")
        except (self._ray.exceptions.RayError, ConnectionError) as error:
            raise WorkerLostError(f"{self.name}: {_first_line(error)}") from None


def _packages() -> tuple[Path, ...]:
    """The folders of our packages."""
    import harness
    import mockserver

    return tuple(Path(str(each.__file__)).parent for each in (harness, mockserver))


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
