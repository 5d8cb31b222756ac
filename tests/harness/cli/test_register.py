from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from harness.cli.main import app
from harness.storage import RegisteredSuites


def call(*arguments: str) -> Any:
    return CliRunner().invoke(app, [*arguments])


def test_a_suite_is_registered_listed_and_forgotten(office: Path, tmp_path: Path) -> None:
    """CTX-24, CTX-25"""
    place = ["--run-dir", str(tmp_path / "runs")]
    nowhere = str(tmp_path / "nowhere")
    told = call("register", str(office), *place, "--description", "Two.")
    assert told.output == f"office: 2 cases in {office}\n"
    listed = call("list-suites", nowhere, *place)
    assert f"{office}  native  2 cases  registered as office" in listed.output
    kept = RegisteredSuites(tmp_path / "runs").get("office")
    assert kept is not None
    assert kept.description == "Two."
    forgotten = call("register", "office", "--remove", *place)
    assert forgotten.output == "office is registered no more\n"
    assert call("list-suites", nowhere, *place).exit_code == 1


def test_a_suite_that_is_gone_is_a_warning(office: Path, tmp_path: Path) -> None:
    place = ["--run-dir", str(tmp_path)]
    copy = tmp_path / "copied.yaml"
    copy.write_text("{id: A, input: Why, expect: {text: {contains: [a]}}}", encoding="utf-8")
    call("register", str(copy), *place, "--name", "mine")
    call("register", str(office), *place)
    copy.unlink()
    listed = call("list-suites", str(tmp_path / "nowhere"), *place)
    assert f"warning: suite 'mine' is gone from {copy}" in listed.output
    assert listed.exit_code == 0


def test_an_invalid_suite_is_not_registered(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("{id: A}", encoding="utf-8")
    assert call("register", str(tmp_path), "--run-dir", str(tmp_path)).exit_code == 1
    assert RegisteredSuites(tmp_path).all() == ()
