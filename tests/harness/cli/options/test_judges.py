import dataclasses
from typing import get_type_hints

from harness.cli.options import JudgeOptions
from harness.cli.run_options import RunOptions


def test_each_option_tells_what_it_does_and_is_one_of_a_run() -> None:
    hints = get_type_hints(JudgeOptions, include_extras=True)
    for field in dataclasses.fields(JudgeOptions):
        (told,) = hints[field.name].__metadata__
        assert told.help, field.name
        assert hasattr(RunOptions(), field.name)
