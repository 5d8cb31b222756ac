"""A worker as an actor of Ray. Ray imports this module on the machine of the worker."""

import os
import socket
from datetime import UTC, datetime

import orjson

from harness.errors import HarnessError
from harness.runner.executors.protocol import WorkerSetup
from harness.runner.executors.worker import DONE, FAILED, TrialWorker


def _now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251  (the one clock of the worker, handed on from here)


class RayChild:
    """One worker; its methods are called from elsewhere."""

    def __init__(self) -> None:
        self._worker: TrialWorker | None = None

    async def open(self, setup: bytes) -> bytes:
        """Get ready: `DONE` and what the worker is named, or `FAILED` and why."""
        try:
            read = WorkerSetup.model_validate_json(setup)
            self._worker = await TrialWorker.open(read, _now)
        except HarnessError as error:
            return FAILED + orjson.dumps({"message": error.message, "hint": error.hint})
        return DONE + f"worker {os.getpid()} on {socket.gethostname()}".encode()

    async def ask(self, request: bytes) -> bytes:
        """The answer to a request (see `TrialWorker.answer`)."""
        if self._worker is None:
            return FAILED + b"it is not open"
        return await self._worker.answer(request)

    async def close(self) -> None:
        """Stop its trials and its mock server."""
        if self._worker is not None:
            await self._worker.close()
