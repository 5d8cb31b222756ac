import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness import __version__
from harness.cli.main import COMMANDS as HARNESS
from harness.cli.understudy import COMMANDS, SECTIONS, app, main
from mockserver.cli.main import COMMANDS as MOCKSERVER
from tests.harness.cli.test_main import HEAVY


@pytest.mark.parametrize("name", [entry.name for entry in COMMANDS])
def test_every_command_explains_itself(name: str) -> None:
    result = CliRunner().invoke(app, [name, "--help"])
    assert result.exit_code == 0
    assert f"understudy {name}" in result.output


def test_every_command_of_both_programs_is_here_once() -> None:
    here = [entry.place for entry in COMMANDS]
    here += [entry.of_program for entry in COMMANDS if entry.of_program]
    assert sorted(here) == sorted(entry.place for entry in (*HARNESS, *MOCKSERVER))
    assert len({entry.name for entry in COMMANDS}) == len(COMMANDS)


def test_the_help_lists_commands_by_what_they_are_for() -> None:
    shown = CliRunner().invoke(app, ["--help"]).output
    for title, names in SECTIONS.items():
        part = shown.partition(f"{title}:\n")[2].partition("\n\n")[0]
        assert [line.split()[0] for line in part.splitlines()] == list(names)
    assert "More:" not in shown, "a new command has no heading"


def test_the_version_is_printed() -> None:
    told = CliRunner().invoke(app, ["--version"]).output.splitlines()
    assert told[0] == f"understudy {__version__}"
    found = json.loads(CliRunner().invoke(app, ["--version", "--json"]).output)
    assert (found["program"], found["version"]) == ("understudy", __version__)
    assert found["packages"]["httpx"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["show", "EC-001", "--suite", "nope"], "understudy: no suite at "),
        (["serve", "--port", "0", "--fixtures", "nope"], "understudy: "),
    ],
    ids=["harness", "mockserver"],
)
def test_a_mistake_is_one_line_whichever_program_the_command_is_of(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with pytest.raises(SystemExit) as left:
        main([each.replace("nope", str(tmp_path / "nope")) for each in arguments])
    shown = capsys.readouterr().err
    assert left.value.code == 2
    assert shown.startswith(told)
    assert shown.count("\n") == 1


def test_what_follows_two_dashes_is_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, told in ((["--cassette", "no.yaml", "--", "true"], "no.yaml: no such cassette"),
                            (["no"], "no suite at 'no'")):  # fmt: skip
        with pytest.raises(SystemExit):
            main(["replay", *arguments])
        assert told in capsys.readouterr().err


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys; sys.argv = ['understudy', '--help']\n"
        "from harness.cli.understudy import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print([name for name in sys.modules if name in {HEAVY.split()!r}], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == "[]"
