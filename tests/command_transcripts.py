"""Transcripts of commands: what is typed, and all that is printed."""

import tempfile
from collections.abc import Callable, Mapping
from contextlib import chdir
from pathlib import Path
from shlex import split

from typer import Typer
from typer.testing import CliRunner

from mockserver.errors import UserError

ENVIRONMENT = {"COLUMNS": "100", "NO_COLOR": "1", "MOCKSERVER_REDACTION_KEY": "ab" * 32}


def commands_of(golden: Path) -> Mapping[str, str]:
    """Each command of a transcript, `$ command`, and what follows it."""
    parts = ("\n\n" + golden.read_text(encoding="utf-8")).split("\n\n$ ")[1:]
    told = [part.partition("\n")[::2] for part in parts]
    return {command: text.rstrip("\n") + "\n" for command, text in told}


def printed(app: Typer, command: str, folder: Path) -> str:
    """What a command prints in a folder, and its exit code where that is not 0; no path of it."""
    runner = CliRunner(env=ENVIRONMENT)
    done = runner.invoke(app, split(command))
    text, code = done.output, done.exit_code
    if isinstance(done.exception, UserError):
        text += f"error: {done.exception}\n"
        code = done.exception.exit_code
    elif done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    text = text.replace(f"{folder}/", "").replace(str(folder), ".")
    lines = [line.rstrip() for line in text.rstrip().splitlines()]
    return "\n".join([*lines, *([f"exit {code}"] if code else []), ""])


def write_transcript(golden: Path, app: Typer, prepared: Callable[[Path], Path]) -> None:
    """Run the commands of a transcript in a folder that is prepared, and write it anew."""
    with tempfile.TemporaryDirectory() as place, chdir(prepared(Path(place))):
        found = [f"$ {each}\n{printed(app, each, Path(place))}" for each in commands_of(golden)]
    golden.write_text("\n".join(found), encoding="utf-8")
