"""What is said of a suite of requests to a service, where the command line says nothing."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from harness.cli.run_options import RunOptions
from harness.errors import HarnessError
from harness.model import Case

CASES = Path("eval", "cases")
"""Where the cases are, when none are named and this folder is there."""

_SERVICE = "service:"


def with_suite(options: RunOptions) -> RunOptions:
    """The options with the suite that is meant: the argument, `--cases`, or `eval/cases`.

    Raises:
        HarnessError: Two suites are named.
    """
    if options.suite is not None and options.cases is not None:
        raise HarnessError("two suites are named", hint="give the argument or --cases")
    named = options.suite or options.cases
    return replace(options, suite=named or (CASES if CASES.is_dir() else None))


def for_service(options: RunOptions, cases: Sequence[Case]) -> RunOptions:
    """The options with the agent that is meant: requests go to the service at `--base-url`.

    Raises:
        HarnessError: A case has no request that could be sent to a service.
    """
    silent = [case.id for case in cases if case.request is None]
    if options.agent is None and cases and not silent and not options.test_mode:
        return replace(options, agent=_SERVICE + options.base_url)
    if silent and is_service(options):
        hint = "use another agent, or give the case a request"
        raise HarnessError(f"case {silent[0]} has no request to send to a service", hint=hint)
    return options


def is_service(options: RunOptions) -> bool:
    """Whether the agent is a service."""
    return (options.agent or "").startswith(_SERVICE)
