"""Plain programs, run with an environment block, or where nothing answers them."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mockserver.cli.env_check import isolation, isolation_problem
from tests.patience import PATIENCE_S

PROGRAMS = Path(__file__).parent / "programs"
_KEPT = ("PATH", "LANG", "TMPDIR", "VIRTUAL_ENV")


@dataclass(frozen=True)
class Finished:
    """What a program left: its exit status, both outputs, and the names that it looked up."""

    status: int
    stdout: str
    stderr: str
    looked_up: tuple[str, ...] = ()

    @property
    def facts(self) -> Any:
        assert self.status == 0, self.stderr
        return json.loads(self.stdout)


def run(command: tuple[str, ...], block: Mapping[str, str], folder: Path) -> Finished:
    """Run a program with an environment block, beside nothing but what every process needs."""
    finished = subprocess.run(
        command,
        cwd=folder,
        env=_environment(block, folder),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return Finished(finished.returncode, finished.stdout, finished.stderr)


def run_alone(
    programs: Mapping[str, tuple[tuple[str, ...], Mapping[str, str]]], folder: Path
) -> dict[str, Finished]:
    """Run programs at once, each in a network of its own in which nobody listens.

    Where this system has no such networks they share ours, and what they look up is not seen.

    Args:
        programs: The command and the environment block of each.
        folder: Where they run.
    """

    async def alone(command: tuple[str, ...], block: Mapping[str, str]) -> Finished:
        if why_not_alone():
            return await asyncio.to_thread(run, command, block, folder)
        async with AsyncExitStack() as stack:
            network = await stack.enter_async_context(isolation("127.0.0.1", ()))
            found = await asyncio.to_thread(run, (*network.prefix, *command), block, folder)
            return Finished(found.status, found.stdout, found.stderr, network.looked_up())

    async def together() -> list[Finished]:
        return await asyncio.gather(*(alone(*each) for each in programs.values()))

    return dict(zip(programs, asyncio.run(together()), strict=True))


def why_not_alone() -> str:
    """Why no program can be run in a network of its own here, or an empty string."""
    return isolation_problem("127.0.0.1")


def command_of(program: str, refusals: int) -> tuple[str, ...]:
    """How a program is run, with as many refusals as it is to meet."""
    path = str(PROGRAMS / program)
    return (*_RUNNERS[Path(program).suffix], path, str(refusals))


def missing(program: str) -> str:
    """Why a program cannot be run here, or an empty string."""
    runner = _RUNNERS[Path(program).suffix][0]
    needed = (runner, "curl") if runner == "sh" else (runner,)
    return "".join(f"there is no `{name}` here" for name in needed if shutil.which(name) is None)


_RUNNERS: Mapping[str, tuple[str, ...]] = {
    ".py": (sys.executable, "-W", "ignore"),
    ".sh": ("sh",),
    ".cjs": ("node",),
    ".mjs": ("node",),
}


def _environment(block: Mapping[str, str], folder: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    root = str(Path(__file__).parents[2])
    return {**kept, "HOME": str(folder), "PYTHONPATH": root, **block}
