import sys
from pathlib import Path

import pytest

from mockserver.cli import blocks
from tests.patience import PATIENCE_S


def python(folder: Path, script: str) -> dict[str, str]:
    """An environment whose Python answers as the script does."""
    file = folder / "python3"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return {"PATH": str(folder)}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("echo True False", True),
        ("echo True True", False),
        ("echo False False", False),
        ("exit 1", False),
        ("sleep 600", False),
    ],
)
def test_it_is_told_only_where_it_matters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, *, told: bool
) -> None:
    monkeypatch.setattr(blocks, "_PATIENCE_S", 0.2 if answer.startswith("sleep") else PATIENCE_S)
    found = blocks.pysocks_warning(python(tmp_path, answer.replace("sleep", "exec /bin/sleep")))
    assert ("pip install pysocks" in found) is told


def test_without_a_python_there_is_nothing_to_tell(tmp_path: Path) -> None:
    assert blocks.pysocks_warning({"PATH": str(tmp_path)}) == ""


def test_the_real_question_is_understood_by_python(tmp_path: Path) -> None:
    assert blocks.pysocks_warning(python(tmp_path, f'exec {sys.executable} "$@"')) == ""
    (tmp_path / "broken").write_text("not a program")
    assert blocks._run_python(str(tmp_path / "broken")) == ""
