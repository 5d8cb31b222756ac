import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from harness.errors import InfrastructureError
from harness.model import ForkOrigin
from harness.storage import Baseline, Baselines, RegisteredSuites
from tests.runfolders import stored_run


def call(runs: Path, *arguments: str) -> Any:
    return CliRunner().invoke(app, ["index", *arguments, "--run-dir", str(runs)])


def test_the_index_is_updated_and_made_anew(tmp_path: Path) -> None:
    stored_run(tmp_path, "1", {"A": [True]})
    assert call(tmp_path, "update").output.endswith("index.db: 1 indexed\n")
    assert call(tmp_path, "update").output.endswith("index.db: 1 unchanged\n")
    (tmp_path / "index.db").unlink()
    stored_run(tmp_path, "2", {"A": [True]})
    (tmp_path / "2" / "manifest.json").write_text("{", encoding="utf-8")
    output = call(tmp_path, "rebuild").output
    assert "warning: run 2: " in output
    assert output.endswith("index.db: 1 indexed, 1 unreadable\n")


def _overwritten(content: bytes) -> bytes:
    return b"notes " * 500


def _without_its_end(content: bytes) -> bytes:
    return content[: len(content) // 2]


def _with_a_broken_page(content: bytes) -> bytes:
    return content[:8192] + b"\xff" * 4096 + content[12288:]


def _with_a_broken_head(content: bytes) -> bytes:
    return content[:100] + b"\xff" * 100 + content[200:]


@pytest.mark.parametrize(
    "damage", [_overwritten, _without_its_end, _with_a_broken_page, _with_a_broken_head]
)
def test_a_broken_index_is_kept_under_another_name_and_made_anew(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    for number in range(10):
        stored_run(tmp_path, f"{number}", {"A": [True]})
    path = tmp_path / "index.db"
    assert call(tmp_path, "update").exit_code == 0
    for number in (1, 2):
        broken = damage(path.read_bytes())
        path.write_bytes(broken)
        result = call(tmp_path, "rebuild")
        assert result.exit_code == 0, result.output
        assert f"it is kept as {path}.broken-{number}" in result.output
        assert result.output.endswith("index.db: 10 indexed\n")
        assert path.with_name(f"index.db.broken-{number}").read_bytes() == broken
        assert call(tmp_path, "update").output.endswith("index.db: 10 unchanged\n")


def test_an_empty_file_is_an_empty_index(tmp_path: Path) -> None:
    (tmp_path / "index.db").write_bytes(b"")
    stored_run(tmp_path, "1", {"A": [True]})
    assert call(tmp_path, "rebuild").output.endswith("index.db: 1 indexed\n")
    assert not list(tmp_path.glob("index.db.broken*"))


@pytest.mark.parametrize("action", ["update", "rebuild"])
def test_an_index_that_another_process_holds_is_told_and_left_alone(
    tmp_path: Path, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.storage.index.database._WAIT_S", 0.05)
    stored_run(tmp_path, "1", {"A": [True]})
    call(tmp_path, "update")
    with closing(sqlite3.connect(tmp_path / "index.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        result = call(tmp_path, action)
    assert isinstance(result.exception, InfrastructureError)
    told = str(result.exception)
    assert "database is locked" in told
    assert "another process has held it" in told
    assert not list(tmp_path.glob("index.db.broken*"))


@pytest.mark.parametrize("action", ["update", "rebuild"])
def test_a_folder_in_place_of_the_index_is_told(tmp_path: Path, action: str) -> None:
    (tmp_path / "index.db").mkdir()
    result = call(tmp_path, action)
    assert isinstance(result.exception, InfrastructureError)
    assert "unable to open database file" in str(result.exception)


def test_no_runs_are_told(tmp_path: Path) -> None:
    assert call(tmp_path, "rebuild").output.endswith("index.db: no runs\n")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    stored_run(tmp_path, "1", {"A": [True, False], "B": [True]}, note="first")
    stored_run(tmp_path, "2", {"A": [True, None]}, agent="command:" + "x" * 60, trials={"A": 3})
    Baselines(tmp_path).set(Baseline(run="1", suite="office"))
    return tmp_path


def runs_call(runs: Path, *arguments: str) -> Any:
    return CliRunner().invoke(app, ["runs", "--run-dir", str(runs), *arguments])


def test_runs_are_listed_with_their_rates(runs: Path) -> None:
    """CTX-32, CTXR-02"""
    lines = runs_call(runs).output.splitlines()
    assert lines[0].split() == ["run", "suite", "agent", "cases", "trials", "rate"]
    assert lines[1].split()[3:] == ["1/1", "1/1", "1.000", "unfinished,", "1", "infra"]
    assert lines[1].split()[2].endswith("xxx...")
    assert lines[2].split()[3:] == ["1/2", "2/3", "0.750", "baseline,", "first"]


def test_a_fork_is_listed_with_its_origin(runs: Path) -> None:
    origin = ForkOrigin(run="1", case="A", number=2, turn=3, model="openai/b")
    stored_run(runs, "3", {"A": [True]}, fork=origin, note="again")
    assert "fork of 1/A/2 from turn 3: openai/b, again" in runs_call(runs).output
    forks = [run["fork"] for run in json.loads(runs_call(runs, "--json").output)]
    assert forks == [origin.model_dump(mode="json"), None, None]


def test_runs_are_told_as_json(runs: Path) -> None:
    found = json.loads(
        runs_call(runs, "--json", "--suite", "fixtures/office", "--limit", "1").output
    )
    assert [run["run"] for run in found] == ["2"]
    assert found[0]["suitePath"] == "fixtures/office"
    assert json.loads(runs_call(runs, "--json", "--before", "2").output)[0]["baseline"] is True


def test_a_list_that_goes_on_after_no_run_is_refused(runs: Path) -> None:
    result = runs_call(runs, "--before", "nope")
    assert result.stdout == ""
    assert str(result.exception).startswith("there is no run 'nope' to go on after")


def test_no_runs_are_no_mistake(tmp_path: Path) -> None:
    assert runs_call(tmp_path).output == "no runs\n"


def test_a_broken_run_is_a_warning(runs: Path) -> None:
    (runs / "1" / "manifest.json").write_text("{", encoding="utf-8")
    result = runs_call(runs)
    assert result.exit_code == 0
    assert "warning: run 1: " in result.output


def test_a_database_that_is_down_is_told(runs: Path) -> None:
    result = runs_call(runs, "--db", "postgresql://u:s3cret@127.0.0.1:9/d")
    assert "cannot be used" in str(result.exception)
    assert "s3cret" not in str(result.exception)


def register_call(*arguments: str) -> Any:
    return CliRunner().invoke(app, [*arguments])


def test_a_suite_is_registered_listed_and_forgotten(office: Path, tmp_path: Path) -> None:
    """CTX-24, CTX-25"""
    place = ["--run-dir", str(tmp_path / "runs")]
    nowhere = str(tmp_path / "nowhere")
    told = register_call("register", str(office), *place, "--description", "Two.")
    assert told.output == f"office: 2 cases in {office}\n"
    listed = register_call("list-suites", nowhere, *place)
    assert f"{office}  native  2 cases  registered as office" in listed.output
    kept = RegisteredSuites(tmp_path / "runs").get("office")
    assert kept is not None
    assert kept.description == "Two."
    forgotten = register_call("register", "office", "--remove", *place)
    assert forgotten.output == "office is registered no more\n"
    assert register_call("list-suites", nowhere, *place).exit_code == 1


def test_a_suite_that_is_gone_is_a_warning(office: Path, tmp_path: Path) -> None:
    place = ["--run-dir", str(tmp_path)]
    copy = tmp_path / "copied.yaml"
    copy.write_text("{id: A, input: Why, expect: {text: {contains: [a]}}}", encoding="utf-8")
    register_call("register", str(copy), *place, "--name", "mine")
    register_call("register", str(office), *place)
    copy.unlink()
    listed = register_call("list-suites", str(tmp_path / "nowhere"), *place)
    assert f"warning: suite 'mine' is gone from {copy}" in listed.output
    assert listed.exit_code == 0


def test_an_invalid_suite_is_not_registered(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("{id: A}", encoding="utf-8")
    assert register_call("register", str(tmp_path), "--run-dir", str(tmp_path)).exit_code == 1
    assert RegisteredSuites(tmp_path).all() == ()
