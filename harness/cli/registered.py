"""Suites that are named on the command line by what they are registered as."""

from dataclasses import replace
from pathlib import Path

from harness.cli.run_options import RunOptions


def with_registered(options: RunOptions) -> RunOptions:
    """The options with the path of the suite where its registered name was given.

    Raises:
        HarnessError: The file of registered suites cannot be read.
    """
    if options.suite is None or options.suite.exists():
        return options
    from harness.storage import RegisteredSuites

    known = RegisteredSuites(options.run_dir).get(str(options.suite))
    return options if known is None else replace(options, suite=Path(known.path))
