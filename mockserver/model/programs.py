"""A program whose traffic a cassette holds: how it was run, and what came of it."""

from pydantic import ValidationError

from mockserver.model.values import Frozen, JsonObject

MEMBER = "program"
"""Where a cassette says it, in `recorded_with.extra`."""


class RecordedProgram(Frozen):
    """How a recorded program was run; nothing secret is in it.

    Attributes:
        command: The program with its arguments.
        exit_code: What it ended with.
        variables: Environment variables that held base URLs, with what they led to.
        input: What it was given on its standard input by `--input`, or None.
        output: What it printed, as far as it was kept, or None where that was a terminal.
    """

    command: tuple[str, ...]
    exit_code: int
    variables: dict[str, str] = {}
    input: str | None = None
    output: str | None = None


def program_of(extra: JsonObject) -> RecordedProgram | None:
    """The program that a cassette tells of in its `extra`; None where it tells of none.

    Raises:
        ValueError: What is there is no program; the message says where.
    """
    if MEMBER not in extra:
        return None
    try:
        return RecordedProgram.model_validate(extra[MEMBER])
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(each) for each in (MEMBER, *first["loc"]))
        raise ValueError(f"recorded_with.extra.{where}: {first['msg']}") from error
