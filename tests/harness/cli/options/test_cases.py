import dataclasses
from typing import get_type_hints

from harness.cli.options import CaseOptions
from harness.cli.run_options import RunOptions


def test_each_option_tells_what_it_does_and_is_one_of_a_run() -> None:
    hints = get_type_hints(CaseOptions, include_extras=True)
    for field in dataclasses.fields(CaseOptions):
        (told,) = hints[field.name].__metadata__
        assert told.help, field.name
        assert hasattr(RunOptions(), field.name)
