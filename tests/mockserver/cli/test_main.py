import errno
import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from mockserver import __version__
from mockserver.cli.main import app, main
from mockserver.cli.specs import session_spec
from mockserver.commands import errors_in_words, print_json
from mockserver.errors import MockServerError
from mockserver.model import SessionSpec


def exit_code(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    return int(caught.value.code or 0)


@pytest.mark.parametrize("command", [(), ("serve",), ("env",), ("apis",), ("snapshot",)])
def test_every_command_has_help(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(*command, "--help") == 0
    assert "Usage:" in capsys.readouterr().out


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("--version") == 0
    assert capsys.readouterr().out.startswith(f"mockserver {__version__}\n")


def test_a_mistake_of_the_user_is_one_line_and_an_exit_code(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert exit_code("apis", "directry") == 2
    assert capsys.readouterr().err == "mockserver: no API 'directry' (did you mean 'directory'?)\n"


@pytest.mark.parametrize(
    ("error", "lacks"),
    [
        (MemoryError(), "memory"),
        (ImportError("x.so: failed to map segment from shared object"), "memory"),
        (RuntimeError("can't start new thread"), "threads"),
        (OSError(errno.EMFILE, "Too many open files"), "open files"),
    ],
)
def test_what_a_process_lacks_is_one_line(
    error: Exception, lacks: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught, errors_in_words(str):
        raise error
    assert caught.value.code == 3
    told = capsys.readouterr().err
    assert told.startswith(f"this process has no {lacks} left (")
    assert told.count("\n") == 1


def test_a_defect_keeps_its_traceback() -> None:
    with pytest.raises(ValueError, match="a defect"), errors_in_words(str):
        raise ValueError("a defect")


def test_the_arguments_are_those_of_the_process_unless_given(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["mockserver", "--version"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert not caught.value.code
    assert capsys.readouterr().out.startswith("mockserver ")


def test_the_package_is_the_command_and_help_loads_no_server() -> None:
    """`--help` has a budget: nothing of what serves is imported for it."""
    code = (
        "import sys; from mockserver.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'uvicorn', 'starlette', 'httpx', 'orjson', 'pydantic', 'jsonschema', 'celpy'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"
    module = [sys.executable, "-m", "mockserver", "--version"]
    assert subprocess.run(module, capture_output=True, text=True, check=True).stdout.strip()


def test_the_schema_of_snapshots_is_printed_as_json() -> None:
    result = CliRunner().invoke(app, ["schema", "snapshot", "--resources", "calendar:v3"])
    printed = json.loads(result.output)
    assert printed["properties"]["orgUnits"]["description"] == "org units"
    assert "calendar:v3" in printed["properties"]["resources"]["properties"]


def test_there_is_one_of_snapshots_alone() -> None:
    assert CliRunner().invoke(app, ["schema", "cassette"]).exit_code == 2


def test_json_is_printed_so_that_it_can_be_piped(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": [1, "ü"]})
    text = capsys.readouterr().out
    assert json.loads(text) == {"a": [1, "ü"]}
    assert '\n  "a"' in text


def test_options_that_were_not_given_keep_their_defaults() -> None:
    assert session_spec(case=None, clock="real") == SessionSpec(clock="real")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"profile": "harsh"}, "--profile 'harsh': must be 'lenient', 'google' or"),
        ({"clock": "noon"}, "--clock 'noon': "),
        ({"journal_bytes": 1}, "--journal-bytes 1: "),
    ],
    ids=["profile", "clock", "unknown"],
)
def test_a_value_no_session_can_have_is_told_by_its_option(
    options: dict[str, str | int], says: str
) -> None:
    with pytest.raises(MockServerError) as caught:
        session_spec(**options)
    assert caught.value.message.startswith(says)
