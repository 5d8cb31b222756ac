import subprocess
import sys

import pytest

from mockserver import __version__
from mockserver.cli.main import main


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
    assert capsys.readouterr().out == f"mockserver {__version__}\n"


def test_a_mistake_of_the_user_is_one_line_and_an_exit_code(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert exit_code("apis", "directry") == 2
    assert capsys.readouterr().err == "mockserver: no API 'directry' (did you mean 'directory'?)\n"


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
