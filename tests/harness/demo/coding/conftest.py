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
