"""The replay of public recordings, tried on small ones of the same shapes."""

import json
from pathlib import Path

import pytest

from tests.acceptance.references import main
from tests.mockserver.cassettes.foreign.test_shapes import SHAPES, har, vcrpy


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One project of each shape."""
    for number, (_, value) in enumerate(SHAPES.values()):
        project = tmp_path / f"project-{number:02}" / "tests"
        project.mkdir(parents=True)
        (project / "one.json").write_text(json.dumps(value), encoding="utf-8")
        (project / "package.json").write_text("{}", encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_every_shape_is_replayed_in_order_shuffled_and_in_eight_sessions(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(folder) == 0
    told = capsys.readouterr().out
    assert told.endswith(f"{len(SHAPES) * 10} passed, 0 failed\n")
    assert "project-00: 1 recordings (1 cassette), 1 interactions, 10 requests asked" in told
    assert "not read, 1: no recording that we know" in told


@pytest.mark.slow
def test_what_no_client_can_ask_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = tmp_path / "project"
    project.mkdir()
    value = vcrpy({"uri": "<<HOST>>/v1", "body": None}, {"body": {"string": "x"}})
    (project / "a.json").write_text(json.dumps(value), encoding="utf-8")
    (project / "b.har").write_text(json.dumps(har({"text": "x"})), encoding="utf-8")
    assert main(tmp_path) == 0
    told = capsys.readouterr().out
    assert "no client asks <<HOST>>/v1" in told
    assert told.endswith("10 passed, 0 failed\n")


def test_a_folder_without_recordings_fails(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    assert main(tmp_path) == 1
