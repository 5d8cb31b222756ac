import pytest
import typer
from typer.testing import CliRunner

from harness.cli.main import COMMANDS as HARNESS
from harness.cli.main import app as harness
from mockserver.cli.main import COMMANDS as MOCKSERVER
from mockserver.cli.main import app as mockserver
from mockserver.commands import CommandEntry, lazy_group
from tests.command_line import command_of


@pytest.mark.parametrize(
    ("app", "entry"),
    [*((harness, each) for each in HARNESS), *((mockserver, each) for each in MOCKSERVER)],
    ids=[f"harness {each.name}" for each in HARNESS]
    + [f"mockserver {each.name}" for each in MOCKSERVER],
)
def test_the_table_says_what_the_command_says(app: typer.Typer, entry: CommandEntry) -> None:
    command = command_of(app, entry.name)
    assert command.name == entry.name
    assert " ".join(command.help.split("\n\n")[0].split()) == entry.summary


def test_a_command_is_imported_when_it_runs_and_not_before() -> None:
    app = typer.Typer(cls=lazy_group([CommandEntry("gone", "no.such.module:run", "Go.")]))

    @app.callback()
    def main() -> None:
        """Do things."""

    assert "Go." in CliRunner().invoke(app, ["--help"]).output
    assert isinstance(CliRunner().invoke(app, ["gone"]).exception, ModuleNotFoundError)
