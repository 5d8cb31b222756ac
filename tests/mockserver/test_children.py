"""Processes of ours find what this one finds, and nothing of their working folder."""

import os
import subprocess
from pathlib import Path

import pytest

from mockserver import __version__
from mockserver.children import HOME, child_command, import_path


@pytest.mark.parametrize("variable", ["", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP"])
def test_a_child_imports_nothing_of_its_folder_nor_of_variables(
    tmp_path: Path, variable: str
) -> None:
    for name in ("mockserver", "typing", "json", "sitecustomize", "typer"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a decoy')", encoding="utf-8")
    environment = {**os.environ, **({variable: str(tmp_path)} if variable else {})}
    command = child_command("mockserver.cli.main:main", "--version")
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith(f"mockserver {__version__}"), done.stderr


def test_the_working_folder_is_left_out_unless_this_package_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = import_path(["", str(tmp_path), ".", "lib", str(HOME), "/opt/x", "lib"])
    assert found == [str(tmp_path / "lib"), str(HOME), "/opt/x"]
    monkeypatch.chdir(HOME)
    assert import_path([""]) == [str(HOME)]
