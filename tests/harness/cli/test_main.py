import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness import __version__
from harness.cli.main import COMMANDS, app, main
from tests.casefiles import chrome_suite, entry

HEAVY = "pydantic yaml httpx asyncio rich.console jsonschema uvicorn"
LIGHT = ("mockserver", "mockserver.commands", "mockserver.errors")


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["harness", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


@pytest.mark.parametrize("name", [entry.name for entry in COMMANDS])
def test_every_command_explains_itself(name: str) -> None:
    result = CliRunner().invoke(app, [name, "--help"])
    assert result.exit_code == 0
    assert f"harness {name}" in result.output


def test_the_version_is_printed() -> None:
    told = CliRunner().invoke(app, ["--version"]).output.splitlines()
    assert told[0] == f"harness {__version__}"
    found = json.loads(CliRunner().invoke(app, ["--version", "--json"]).output)
    assert (found["program"], found["version"]) == ("harness", __version__)
    assert found["packages"]["httpx"]


def test_a_mistake_of_the_user_is_one_line_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code = call(monkeypatch, "show", "EC-001", "--suite", str(tmp_path / "nope"))
    told = capsys.readouterr().err
    assert code == 2
    assert told.startswith("harness: no suite at ")
    assert told.count("\n") == 1


def test_invalid_cases_are_listed_one_to_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    suite = chrome_suite(tmp_path, [entry(mode="x"), entry(id="EC-002", mode="y")])
    code = call(monkeypatch, "show", "EC-003", "--suite", str(suite))
    told = capsys.readouterr().err.splitlines()
    assert code == 2
    assert told[0] == "harness: invalid (2):"
    assert len(told) == 3


@pytest.mark.parametrize("arguments", [["nope"], ["show"], ["--nope"]], ids=str)
def test_a_wrong_command_line_exits_with_2(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    assert call(monkeypatch, *arguments) == 2


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys; sys.argv = ['harness', '--help']\n"
        "from harness.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print([name for name in sys.modules if name in {HEAVY.split()!r}"
        f" or name.startswith('mockserver') and name not in {LIGHT!r}], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == "[]"


@pytest.mark.slow
def test_a_run_leaves_snapshots_to_the_server_that_it_starts(office: Path, tmp_path: Path) -> None:
    arguments = ["run", str(office), "--agent", "oracle", "--run-dir", str(tmp_path)]
    program = (
        f"import sys; sys.argv = ['harness', *{arguments!r}]\n"
        "from harness.cli import run_execution\n"
        "from harness.cli.main import main\n"
        "def tell(*_):\n"
        "    names = (name for name in sys.modules if name.startswith('mockserver.'))\n"
        "    print({name.split('.')[1] for name in names}, file=sys.stderr)\n"
        "run_execution.note_coverage = tell  # it reads the snapshots, once all trials are over\n"
        "try: main()\n"
        "except SystemExit: pass"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "trials 2/2" in done.stdout
    rooms = ast.literal_eval(done.stderr.splitlines()[-1])
    own = {"children", "client", "commands", "errors", "keepalive", "lazy_names", "model"}
    own |= {"plugins", "process", "traces"}
    assert rooms == {*own, "collections", "messages", "models", "state"}


def test_the_package_is_a_command_too() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "harness", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(f"harness {__version__}\n")


@pytest.mark.slow
def test_the_harness_needs_no_test_framework() -> None:
    """CEP-02: it runs alone; nothing of it imports one but the plugin that pytest loads."""
    package = Path(__file__).parents[3] / "harness"
    imported = {
        name.split(".")[0]
        for path in package.rglob("*.py")
        if path.name != "pytest_plugin.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in _names(node)
    }
    assert "typer" in imported
    assert not imported & {"pytest", "unittest", "hypothesis", "nose"}


def _names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []
