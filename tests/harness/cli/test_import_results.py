"""`understudy runs import`: a stored run that the other commands take as any."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from harness.storage import RunFolder
from tests.harness.foreign.test_readers import CSV, INSPECT, PROMPTFOO, PYTEST

RUNNER = CliRunner()


def invoke(*words: object) -> str:
    done = RUNNER.invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize(
    ("content", "id", "suite", "agent"),
    [
        (PYTEST, "20261120-091500", "pytest tests", "unknown"),
        (json.dumps(INSPECT), "20261120-090000", "sums", "mockllm/model"),
        (json.dumps(PROMPTFOO), "20261120-090000", "Greetings", "echo"),
        (CSV, "", "results", "unknown"),
    ],
    ids=["junit", "inspect", "promptfoo", "csv"],
)
def test_an_imported_run_is_a_run(
    tmp_path: Path, content: str, id: str, suite: str, agent: str
) -> None:
    path, runs = tmp_path / "results.txt", tmp_path / "runs"
    path.write_text(content, encoding="utf-8")
    said = invoke("import-results", path, "--run-dir", runs)
    (folder,) = runs.glob("2*")
    manifest = RunFolder(folder).manifest()
    assert folder.name.startswith(id)
    assert (manifest.suite, manifest.agent) == (suite, agent)
    assert manifest.origin is not None
    assert (manifest.origin.file, len(manifest.origin.digest)) == ("results.txt", 64)
    assert f"imported from results.txt ({manifest.origin.format})" in said
    assert (folder / "report.json").is_file()
    assert suite in invoke("runs", "--run-dir", runs)
    invoke("report", folder, "--format", "html,csv")


def test_two_imports_are_compared(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for number, content in enumerate((PYTEST, PYTEST.replace('message="no', 'x="no'))):
        path = tmp_path / f"{number}.xml"
        path.write_text(content.replace("T10:15", f"T1{number}:15"), encoding="utf-8")
        invoke("import-results", path, "--run-dir", runs, "--agent", "a", "--note", "nightly")
    first, second = sorted(runs.glob("2*"))
    said = invoke("compare", first, second, "--format", "json")
    assert {each["case"] for each in json.loads(said)["cases"]} >= {"tests.test_a.test_good"}
    assert json.loads(said)["changed"] == []


def test_what_the_user_says_wins(tmp_path: Path) -> None:
    path, runs = tmp_path / "a.xml", tmp_path / "runs"
    path.write_text(PYTEST, encoding="utf-8")
    options = ("--suite", "nightly", "--policy", "majority", "--score", "verdict", "--verbose")
    invoke("import-results", path, "--run-dir", runs, "--from", "junit", *options)
    (folder,) = runs.glob("2*")
    manifest = RunFolder(folder).manifest()
    assert (manifest.suite, manifest.policy) == ("nightly", {"pass": "majority"})


MAIL, TOKEN = "ann.smith@acme-corp.io", "sk-proj-abcdEFGH1234567890abcdEFGH1234567890"


def test_nothing_secret_is_written_and_a_value_has_one_pseudonym(tmp_path: Path) -> None:
    path, runs = tmp_path / "results.csv", tmp_path / "runs"
    rows = ["case,prompt,answer,status,reason", f"A,Mail {MAIL},Sent to {MAIL} by {TOKEN},pass,ok"]
    path.write_text("\n".join([*rows, f"t[{MAIL}],x,y,fail,{MAIL} got none"]), encoding="utf-8")
    assert "2 values were replaced by pseudonyms" in invoke(
        "import-results", path, "--run-dir", runs
    )
    (folder,) = runs.glob("2*")
    written = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
    assert MAIL.encode() not in written
    assert TOKEN.encode() not in written
    first, second = RunFolder(folder).records()
    person = second.scores[-1].reason.removesuffix(" got none")
    assert person.endswith(".example.com")
    assert RunFolder(folder).cases()[0].turns[0].user == f"Mail {person}"
    assert first.replies[0].text.startswith(f"Sent to {person} by ")


def test_rules_of_the_user_count_in_an_import(tmp_path: Path) -> None:
    path, rules = tmp_path / "results.csv", tmp_path / "own.yaml"
    path.write_text("case,answer,status\nA,ticket TCK-99321,pass", encoding="utf-8")
    rules.write_text(
        "rules:\n- {name: ticket, kind: ticket, pattern: 'TCK-[0-9]+', about: tickets}\n",
        encoding="utf-8",
    )
    invoke("import-results", path, "--run-dir", tmp_path / "runs", "--redaction", rules)
    (folder,) = (tmp_path / "runs").glob("2*")
    assert "TCK-99321" not in next(iter(RunFolder(folder).records())).replies[0].text
