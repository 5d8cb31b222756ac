import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from mockserver.cassettes.files import write_cassette
from mockserver.cli.main import app
from mockserver.errors import MockServerError
from mockserver.model import Cassette, CassetteInfo
from tests.recordings import interaction

FILES = "https://www.googleapis.com/drive/v3/files"


def verify(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["verify", *map(str, arguments)])


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    folder = tmp_path / "recordings"
    folder.mkdir()
    calls = (
        interaction(f"{FILES}/a1x", {"id": "a1x", "name": "<b>plan</b>"}),
        interaction(f"{FILES}/zzz", {"error": {"code": 404, "message": "\x01 None"}}, status=404),
        interaction("https://elsewhere.example.com/", {}),
    )
    write_cassette(Cassette("a.yaml", calls, CassetteInfo()), folder / "a.yaml")
    (folder / "b.json").write_text("{")
    return folder


def test_tables_and_differences(recordings: Path) -> None:
    done = verify(recordings)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].split()[:2] == ["host", "exchanges"]
    assert lines[1].split()[:3] == ["www.googleapis.com", "2", "100.0"]
    assert "drive.files.get" in done.stdout
    assert "1. drive.files.get: value error.message: 1 time in 1 recording" in lines
    assert "hosts that the mock does not serve: 1: elsewhere.example.com (1)" in lines
    assert any(line.startswith("not read: b.json: 1:2: ") for line in lines)


def test_json(recordings: Path) -> None:
    told = json.loads(verify(recordings, "--json", "--worst", 100).stdout)
    assert told["agreement"] == 0.5
    assert told["total"]["errors"] == 1
    assert told["methods"]["drive.files.get"]["hosts"] == ["www.googleapis.com"]
    assert set(told["apart"]["unreadable"]) == {"b.json"}
    one = next(each for each in told["differences"] if each["field"] == "error.message")
    assert one["example"]["request"] == f"GET {FILES}/zzz"
    assert one["example"]["recording"] == "a.yaml"


def test_files_for_people_and_ci(recordings: Path, tmp_path: Path) -> None:
    page, tests = tmp_path / "out/a.html", tmp_path / "out/a.xml"
    assert verify(recordings, "--html", page, "--junit", tests).exit_code == 0
    assert "50.0 % of 2 exchanges agree" in page.read_text()
    assert "<b>plan" not in page.read_text()
    root = ElementTree.fromstring(tests.read_text())
    assert root.find("testsuite/testcase[@name='drive.files.get']/failure") is not None
    assert root.find("testsuite/testcase[@name='b.json']/error") is not None
    with pytest.raises(MockServerError, match="cannot be written"):
        verify_raising(recordings, "--html", recordings / "b.json" / "x.html")


def test_cases_that_rest_on_what_differs_are_named(recordings: Path, tmp_path: Path) -> None:
    def write_trial(case: str, body: object, method: str = "drive.files.get") -> None:
        entry = {"method_id": method, "status": 200, "response_ref": case}
        journal = {"entries": [entry], "bodies": {case: json.dumps(body)}}
        trial = tmp_path / "run" / "trials" / case / "1.json"
        trial.parent.mkdir(parents=True)
        trial.write_text(json.dumps({"journal": journal}))

    write_trial("FILES", {"name": "x"})
    told = json.loads(verify(recordings, "--json").stdout)["differences"]
    given = next(each["given"] for each in told if each["field"] == "error.message")
    write_trial("MESSAGES", {"error": {"message": given}})
    write_trial("OTHERS", {"error": {"message": "not what the mock says"}})
    write_trial("LISTS", {"files": []}, "drive.files.list")
    done = verify(recordings, "--runs", tmp_path / "run", "--worst", 100)
    one = done.stdout.split("value error.message")[1].split("\n\n")[0]
    assert one.splitlines()[-1] == "   cases:    MESSAGES"
    assert "LISTS" not in done.stdout
    with pytest.raises(MockServerError, match="no run directory"):
        verify_raising(recordings, "--runs", tmp_path)


@pytest.mark.parametrize(("least", "code"), [("0.5", 0), ("0.51", 1)])
def test_the_gate(recordings: Path, least: str, code: int) -> None:
    assert verify(recordings, "--min-agreement", least, "--worst", 0).exit_code == code


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--host", "nowhere*"], "no exchange was compared"),
        (["--fixtures", "/nowhere"], "nowhere"),
        (["--writes", "host=x"], "about a live host"),
        (["--set", "a=b"], "--set is about a --plan"),
        (["--plan", "plan.yaml"], "name recordings, or a --plan"),
        (["--live", "x.example.com", "--writes", "box"], "names no sandbox"),
        (["--live", "x.example.com", "--header", "box"], "is no header"),
        (["--live", "x.example.com"], "not named by --live"),
    ],
)
def test_mistakes(recordings: Path, arguments: list[str], reason: str) -> None:
    with pytest.raises(MockServerError, match=reason):
        verify_raising(recordings, *arguments)


def test_a_plan_takes_no_hosts() -> None:
    with pytest.raises(MockServerError, match="takes no --live"):
        verify_raising("--plan", "plan.yaml", "--live", "x.example.com")


def verify_raising(*arguments: object) -> None:
    error = verify(*arguments).exception
    assert error is not None
    raise error
