"""The commands on spoilt files: the documented exit code, a message for people, no traceback."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.cli.main import app as harness
from harness.errors import HarnessError
from mockserver.cli.main import app as mockserver
from mockserver.errors import MockServerError
from tests.casefiles import chrome_suite, put
from tests.runfolders import stored_run

TAPE = Path(__file__).parents[2] / "cassettes/streaming/answer.yaml"
NESTED = "[" * 60_000


def run(app: Any, *arguments: object) -> tuple[int, str]:
    """The exit code of a command and what it says, as `main` would print it."""
    result = CliRunner().invoke(app, [str(item) for item in arguments])
    error = result.exception
    if isinstance(error, MockServerError | HarnessError):
        return error.exit_code, f"{result.output}{error}"
    assert error is None or isinstance(error, SystemExit), repr(error)
    return result.exit_code, result.output


def spoilt_cassette(folder: Path, text: str) -> Path:
    return put(folder / "tape.yaml", text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (NESTED, "not JSON: depth limit exceeded"),
        (f"version: {NESTED}", "nested more than 200 deep"),
        ("a: !!bool maybe", "this is no bool"),
        ("a: !!set {b}", "has the tag"),
        ("? [a]\n: b", "a key that is no text"),
        ("&a [*a]", "aliases"),
        ("\x00", "tape.yaml"),
        (TAPE.read_text("utf-8").replace("https://", "https://["), "is no URL"),
        (TAPE.read_text("utf-8").replace("version: 1", f"version: {'9' * 5_000}"), "no int"),
    ],
    ids=["JSON", "nested", "bool", "set", "key", "alias", "NUL", "URL", "number"],
)
@pytest.mark.parametrize(
    "command",
    [
        lambda path: ("cassette", "show", path),
        lambda path: ("cassette", "diff", path, path),
        lambda path: ("cassette", "export", path, "--to", path.with_suffix(".har")),
    ],
    ids=["show", "diff", "export"],
)
def test_a_spoilt_cassette_is_refused(
    tmp_path: Path, text: str, said: str, command: Callable[[Path], tuple[object, ...]]
) -> None:
    code, told = run(mockserver, *command(spoilt_cassette(tmp_path, text)))
    assert code == 2
    assert said in told
    assert len(told) < 3_000


def test_a_spoilt_file_is_searched_for_secrets_all_the_same(tmp_path: Path) -> None:
    path = spoilt_cassette(tmp_path, f"token: ya29.a0AfB_byC1234567890abcdefghij\n{NESTED}")
    code, told = run(mockserver, "cassette", "lint", path)
    assert (code, "secrets are left" in told) == (1, True)


def test_a_recording_of_another_tool_that_is_spoilt_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path / "a.har", '{"log": {"entries": 7}}')
    code, told = run(mockserver, "cassette", "import", path, "--to", tmp_path / "a.yaml")
    assert (code, "#/log/entries: expected a list" in told) == (2, True)
    assert not (tmp_path / "a.yaml").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"users": [{"id": 18446744073709551616}]}', "#/users/0/id: an integer that 64 bits"),
        ('{"orgUnits": ' + "[" * 201 + "]" * 201 + "}", "nested more than 200 deep"),
        ('{"capturedAt": "0000-01-01T00:00:00Z"}', "is not an RFC 3339 timestamp"),
        ('{"capturedAt": "0001-01-01T00:00:00+14:00"}', "is before the year 1"),
        ('{"capturedAt": "9999-12-31T00:00:00Z"}', "is not in the years 1970 to 9000"),
        ('{"capturedAt": "' + "x" * 90_000 + '"}', "characters"),
    ],
    ids=["integer", "nested", "year 0", "before year 1", "year 9999", "long"],
)
def test_a_spoilt_snapshot_is_refused_with_file_and_pointer(
    tmp_path: Path, text: str, said: str
) -> None:
    suite = chrome_suite(tmp_path / "suite", files={"base/all.json": "{}"})
    put(suite / "EC-001/overrides.json", text)
    for app, command in ((mockserver, ("snapshot", "lint", suite)), (harness, ("lint", suite))):
        code, told = run(app, *command)
        assert code == 2
        assert said in told
        assert "EC-001/overrides.json" in told
        assert max(map(len, told.splitlines())) < 3_000


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("x" * 300, "longer than the 255 bytes"),
        ("x/" * 2_000 + "y", "longer than the 255 bytes"),
        ("a\\u0000b", "holds a NUL"),
        ("../" * 20 + "etc/hosts", "leaves the suite's folder"),
    ],
    ids=["name", "path", "NUL", "above"],
)
def test_names_of_files_that_cannot_be_are_told(tmp_path: Path, name: str, said: str) -> None:
    put(
        tmp_path / "one.yaml",
        f'id: EC-001\ninput: Why?\nfixtures: {{overrides: ["{name}"], files: ["{name}"]}}\n',
    )
    code, told = run(harness, "lint", tmp_path)
    assert (code, told.count(said)) == (2, 2)
    assert run(harness, "list-suites", tmp_path)[0] == 2
    code, told = run(harness, "run", tmp_path, "--agent", "null", "--run-dir", tmp_path / "runs")
    assert (code, said in told) == (2, True)


@pytest.mark.parametrize("content", ["", "{", "[]", "null", "\ud800", NESTED, '{"cases": NaN}'])
def test_a_spoilt_run_is_refused_by_every_command_that_reads_it(
    tmp_path: Path, content: str
) -> None:
    stored_run(tmp_path, "1", {"C-1": (True,)})
    whole, spoilt = tmp_path / "1", tmp_path / "2"
    for name in ("manifest.json", "cases/C-1@hash-C-1.json", "trials/C-1/1.json"):
        shutil.rmtree(spoilt, ignore_errors=True)
        shutil.copytree(whole, spoilt)
        (spoilt / name).write_bytes(content.encode("utf-8", "surrogatepass"))
        for command in (("report", spoilt), ("recheck", spoilt, "--stored")):
            code, told = run(harness, *command, "--run-dir", tmp_path)
            assert code == 2, (command, told)
            assert name in told
    (spoilt / "manifest.json").write_text("{")
    code, told = run(harness, "compare", whole, spoilt)
    assert (code, "manifest.json" in told) == (2, True)


def test_spoilt_results_of_a_review_are_refused(tmp_path: Path) -> None:
    path = put(tmp_path / "results.json", '{"cases": ' + "9" * 5_000 + "}")
    code, told = run(harness, "visualize", path)
    assert (code, "results.json" in told) == (2, True)


def test_a_spoilt_case_does_not_take_the_others_away(tmp_path: Path) -> None:
    put(tmp_path / "good.yaml", "id: EC-001\ninput: Why?\n")
    put(tmp_path / "bad.yaml", "id: EC-002\ninput: !!bool maybe\n")
    put(tmp_path / "worse.yaml", NESTED)
    code, told = run(harness, "lint", tmp_path)
    assert code == 2
    assert {"bad.yaml", "worse.yaml"} <= {
        Path(line.removeprefix("error: ").partition(":")[0]).name for line in told.splitlines()
    }
    code, told = run(harness, "show", "EC-001", "--suite", tmp_path)
    assert (code, told.startswith("EC-001")) == (0, True)
