from typing import Any

import pytest

from mockserver.model import RecordedProgram, program_of


def test_a_program_is_read_as_it_was_told() -> None:
    told = RecordedProgram(
        command=("python", "agent.py"), exit_code=3, variables={"A_URL": "http://a"}
    )
    assert program_of({"program": told.model_dump(mode="json", exclude_none=True)}) == told


def test_a_cassette_may_tell_of_none() -> None:
    assert program_of({"plan": 1}) is None


@pytest.mark.parametrize(
    ("said", "where"),
    [
        ({"command": "python"}, "program.command"),
        ({"command": []}, "program.exit_code"),
        (7, "program"),
    ],
)
def test_what_is_no_program_is_told_with_its_place(said: Any, where: str) -> None:
    with pytest.raises(ValueError, match=rf"recorded_with\.extra\.{where}: "):
        program_of({"program": said})
