"""Makes a suite of one case of a program that was recorded."""

import re
import shlex
from pathlib import Path

from harness.cases.conversion import as_yaml
from harness.environment import copy_cassette, recorded_program
from harness.errors import HarnessError, reason_of
from harness.model import JsonObject
from mockserver.model import RecordedProgram

_NOT_OF_IDS = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST_TEXT = 200


def program_case(program: RecordedProgram, id: str) -> JsonObject:
    r"""The case of a recorded program, as an author would write it.

    Its task is what the program was given on its standard input, else its command line. It expects
    the exit code and the last line that the program printed.

    >>> told = RecordedProgram(command=("agent", "book"), exit_code=0, output="a\nBooked.\n")
    >>> program_case(told, "book")["expect"]
    {'exit_code': 0, 'text': {'contains': ['Booked.']}}
    """
    expect: JsonObject = {"exit_code": program.exit_code}
    lines = [line.strip() for line in (program.output or "").splitlines() if line.strip()]
    if lines:
        expect["text"] = {"contains": [lines[-1][:_LONGEST_TEXT]]}
    task = program.input or shlex.join(program.command)
    return {"id": id, "input": task, "fixtures": {"cassettes": [id]}, "expect": expect}


def promote_program(cassette: Path, into: Path, id: str = "") -> tuple[RecordedProgram, list[Path]]:
    """Write a case of a recorded program, with its cassette, into a suite of YAML cases.

    Args:
        cassette: What `record` wrote.
        into: The suite; made where there is none.
        id: The id of the case; that of the cassette's name when empty.

    Returns:
        The program, and the files that were written.

    Raises:
        HarnessError: The cassette tells of no program, a file is there already, or cannot be
            written.
    """
    program = recorded_program(cassette)
    if program is None:
        raise HarnessError(
            f"{cassette} tells of no program",
            hint="record one: understudy record --cassette FILE -- PROGRAM",
        )
    name = _NOT_OF_IDS.sub("-", id or cassette.stem).strip("-.")
    files = [into / "cases" / f"{name}.yaml", into / "cassettes" / f"{name}{cassette.suffix}"]
    for path in files:
        if path.exists():
            raise HarnessError(f"{str(path)!r} is there already", hint="name another --id")
    copy_cassette(cassette, files[1])
    try:
        files[0].parent.mkdir(parents=True, exist_ok=True)
        files[0].write_text(as_yaml({"cases": [program_case(program, name)]}), encoding="utf-8")
    except OSError as error:
        raise HarnessError(f"cannot write into {str(into)!r}: {reason_of(error)}") from None
    return program, files
