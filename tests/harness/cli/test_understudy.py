import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from harness import __version__
from harness.cli.main import COMMANDS as HARNESS
from harness.cli.main import app as harness
from harness.cli.understudy import COMMANDS, EXAMPLES, OLD_NAMES, SECTIONS, app, main
from mockserver.cli.main import COMMANDS as MOCKSERVER
from mockserver.cli.main import app as mockserver
from mockserver.commands import LazyCommand
from tests.harness.cli.test_main import HEAVY


def commands(words: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Each command with its words."""
    command = command.load() if isinstance(command, LazyCommand) else command
    yield words, command
    for name, each in getattr(command, "commands", {}).items():
        yield from commands(f"{words} {name}".strip(), each)


THERE = dict(commands("", typer.main.get_group(app)))


@pytest.mark.parametrize("words", [words for words in THERE if words])
def test_every_command_explains_itself(words: str) -> None:
    result = CliRunner().invoke(app, [*words.split(), "--help"])
    assert result.exit_code == 0
    assert f"understudy {words}" in result.output


def test_every_command_of_both_programs_is_here() -> None:
    flat = [part for entry in COMMANDS for part in entry.commands or (entry,)]
    here = {entry.place for entry in flat} | {entry.of_program for entry in flat}
    there = {part.place for entry in (*HARNESS, *MOCKSERVER) for part in entry.commands or (entry,)}
    # which `doctor` without a suite is, and `learn` of recordings
    within = {"mockserver.cli.doctor:doctor", "mockserver.cli.learn:learn"}
    assert here - {""} == there - within
    assert len({entry.name for entry in COMMANDS}) == len(COMMANDS)


@pytest.mark.parametrize(("program", "half"), [("harness", harness), ("mockserver", mockserver)])
def test_the_help_of_a_half_says_which_command_of_understudy_it_is(
    program: str, half: typer.Typer
) -> None:
    for words, command in commands("", typer.main.get_group(half)):
        if words:
            shown = CliRunner().invoke(half, [*words.split(), "--help"]).output
            told = shown.rpartition("This is `understudy ")[2].partition("`")[0]
            assert told in THERE, f"{program} {words}: {command.epilog}"


def test_the_help_is_one_screen_and_lists_commands_by_what_they_are_for() -> None:
    shown = CliRunner().invoke(app, ["--help"]).output
    lines = shown.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert len(COMMANDS) <= 30
    listed = [line.split()[0] for line in lines if line.startswith("  ")]
    assert listed == [name for names in SECTIONS.values() for name in names]
    assert "More:" not in shown, "a new command has no heading"


def test_understudy_alone_shows_the_ten_commands_that_a_person_needs() -> None:
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 0
    assert len(EXAMPLES) == 10
    assert all(f"  {command} " in result.output for command in EXAMPLES)
    assert "understudy --help" in result.output
    assert max(map(len, result.output.splitlines())) <= 80


@pytest.mark.parametrize(("old", "new"), OLD_NAMES.items())
def test_an_old_name_answers_and_names_the_new_one(old: str, new: str) -> None:
    assert new in THERE
    result = CliRunner().invoke(app, [*old.split(), "--help"])
    assert f"understudy: `{old}` is called `{new}` now" in result.stderr
    assert f"Usage: understudy {new} " in result.output


@pytest.mark.parametrize(
    ("arguments", "answered"),
    [
        ("runs --limit 1", "runs list"), ("runs", "runs list"), ("runs list", ""),
        ("runs --help", ""), ("runs fold", ""), ("baseline nope", "baseline set"),
        ("baseline list", ""), ("baseline", ""), ("baseline --help", ""),
    ],
)  # fmt: skip
def test_a_noun_that_was_a_command_is_one_where_none_of_its_own_follows(
    arguments: str, answered: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, arguments.split())
    assert (f"is called `{answered}` now" if answered else "") in result.stderr
    assert ("is called" in result.stderr) == bool(answered)


@pytest.mark.parametrize(
    ("command", "old", "new"),
    [
        ("record", "--out", "--cassette"), ("env", "--out", "--output"),
        ("learn", "--force", "--replace"),
        ("init", "--force", "--replace"), ("capture mcp", "--output", "--cassette"),
        ("fork", "--repeat", "--trials"), ("runs history", "--last", "--limit"),
        ("suite import", "--out", "--output"),
    ],
)  # fmt: skip
def test_an_old_name_of_an_option_means_the_new_one(command: str, old: str, new: str) -> None:
    found = THERE[command]
    context = typer.Context(found, info_name=command)
    answering = found.make_parser(context)
    values = {
        name: answering.parse_args([name, *(() if name in FLAGS else ("1",))])[0]
        for name in (old, new)
    }
    assert values[old] == values[new] != {}
    assert not re.search(rf"{old}\b(?!-)", found.get_help(context))


FLAGS = {"--force", "--replace"}


def test_the_version_is_printed() -> None:
    told = CliRunner().invoke(app, ["--version"]).output.splitlines()
    assert told[0] == f"understudy {__version__}"
    found = json.loads(CliRunner().invoke(app, ["--version", "--json"]).output)
    assert (found["program"], found["version"]) == ("understudy", __version__)
    assert found["packages"]["httpx"]
    assert CliRunner().invoke(app, ["--json"]).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["case", "show", "EC-001", "--suite", "nope"], "understudy: no suite at "),
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


@pytest.mark.parametrize("arguments", [[], ["--help"]], ids=str)
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    program = (
        f"import sys; sys.argv = ['understudy', *{arguments!r}]\n"
        "from harness.cli.understudy import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print([name for name in sys.modules if name in {HEAVY.split()!r}], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == "[]"
