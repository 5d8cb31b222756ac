"""A folder for the coding agent, with or without a workspace of the bundled suite."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

WORKSPACES = Path(__file__).parents[4] / "fixtures" / "coding-tasks" / "workspaces"


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[str], Path]:
    def made(name: str) -> Path:
        return Path(shutil.copytree(WORKSPACES / name, tmp_path / name))

    return made


@pytest.fixture
def children() -> Callable[[], list[str]]:
    """The processes that the agent that never ends leaves behind."""

    def running() -> list[str]:
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes().split(b"\0")
            except OSError:
                continue
            if b"never-ends" in words or b"import time; time.sleep(3600)" in words:
                found.append(str(words))
        return found

    return running
