"""The pytest plugin of the harness: the cases of a suite as tests.

    pytest fixtures/chrome-enterprise --agent python:my_agent:answer

Each case is a test, passed or failed as `understudy run` would say; what failed is told with the
requests that the agent made. Without `--agent` nothing is collected that was not before.
"""

import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typing_extensions import override

if TYPE_CHECKING:
    from harness.cli.run_options import RunOptions
    from harness.cli.suite_run import DecidedCase, SuiteRun
    from harness.model import Case

_RUNS = pytest.StashKey[list["SuiteRun"]]()

_LONGEST_REPLY = 500


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--agent` and `--agent-args`."""
    group = parser.getgroup("harness")
    group.addoption(
        "--agent",
        metavar="SPEC",
        default=None,
        help="put this agent through the suites that are named, a test for each case"
        " (command:CMD, python:module:function, http:URL, ..., see `understudy run --help`)",
    )
    group.addoption(
        "--agent-args",
        metavar="OPTIONS",
        default="",
        help="options of `understudy run` for it, in one text: --agent-args='-n 3 --tags smoke'",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Check the options, and make room for what is run."""
    config.stash[_RUNS] = []
    if config.getoption("--agent") is None:
        if config.getoption("--agent-args"):
            raise pytest.UsageError("--agent-args needs --agent")
        return
    _run_options(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the mock servers."""
    for run in config.stash.get(_RUNS, []):
        run.close()


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> "SuiteFolder | None":
    """A folder that is named and is a suite."""
    return SuiteFolder.from_parent(parent, path=path) if _is_suite(path, parent) else None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "SuiteFile | None":
    """A file that is named and is a suite."""
    return SuiteFile.from_parent(parent, path=file_path) if _is_suite(file_path, parent) else None


def _is_suite(path: Path, parent: pytest.Collector) -> bool:
    if parent.config.getoption("--agent") is None or not parent.session.isinitpath(path):
        return False
    if path.suffix == ".py":
        return False
    from harness.cases.formats import format_of

    return format_of(path) is not None


def _collect_cases(node: Any) -> "Iterator[CaseItem]":
    from harness.cli.suite_run import SuiteRun
    from harness.errors import HarnessError

    try:
        run = SuiteRun(replace(_run_options(node.config), suite=node.path, keep_going=False))
    except HarnessError as error:
        raise node.CollectError(str(error)) from None
    node.config.stash[_RUNS].append(run)
    for case in run.cases:
        yield CaseItem.from_parent(node, name=case.id, case=case, run=run)


class SuiteFolder(pytest.Directory):
    """A suite that is a folder."""

    @override
    def collect(self) -> "Iterator[CaseItem]":
        """Its cases."""
        return _collect_cases(self)


class SuiteFile(pytest.File):
    """A suite that is a file."""

    @override
    def collect(self) -> "Iterator[CaseItem]":
        """Its cases."""
        return _collect_cases(self)


class FailedCaseError(Exception):
    """The agent did not pass a case.

    Attributes:
        decided: What came of it.
    """

    def __init__(self, decided: "DecidedCase") -> None:
        super().__init__(decided.decision.reason)
        self.decided = decided


class CaseItem(pytest.Item):
    """A case as a test.

    Args:
        case: The case.
        run: What runs it.
        options: What every item takes.
    """

    def __init__(self, *, case: "Case", run: "SuiteRun", **options: Any) -> None:
        super().__init__(**options)
        self._case = case
        self._run = run
        for tag in case.tags:
            self.extra_keyword_matches.add(tag)

    @override
    def runtest(self) -> None:
        """Run its trials.

        Raises:
            FailedCaseError: It was not passed.
        """
        decided = self._run.decide(self._case)
        verdict = decided.decision.verdict
        if verdict == "skipped":
            pytest.skip(decided.decision.reason or "no trial was run")
        if verdict != "passed":
            self._tell_requests(decided)
            raise FailedCaseError(decided)

    @override
    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The verdict with its reasons; what is wrong with the harness's own words."""
        from harness.errors import HarnessError

        if isinstance(excinfo.value, FailedCaseError):
            return failure_text(self._case, excinfo.value.decided)
        if isinstance(excinfo.value, HarnessError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    @override
    def reportinfo(self) -> tuple[Path, None, str]:
        """Where it is, and how it is called."""
        return self.path, None, f"{self.path.name}: {self.name}"

    def _tell_requests(self, decided: "DecidedCase") -> None:
        from mockserver.testing.mocks import requests_summary

        for record in decided.records:
            said = requests_summary(record.journal.entries)
            self.add_report_section("call", f"trial {record.number}", said)


def failure_text(case: "Case", decided: "DecidedCase") -> str:
    """Why a case was not passed: the verdict; of each trial what failed and what was replied."""
    decision = decided.decision
    title = f" ({case.title})" if case.title else ""
    reason = f": {decision.reason}" if decision.reason else ""
    lines = [f"{case.id}{title} {decision.verdict}{reason}"]
    for trial, record in zip(decision.trials, decided.records, strict=True):
        lines.append(f"trial {trial.number}: {trial.status}")
        lines += [f"  {record.error}"] if record.error else []
        lines += [
            f"  {check.kind}: {check.reason}"
            for check in trial.checks
            if check.status in {"fail", "not_evaluated"} and check.required
        ]
        for reply in record.replies:
            text = (
                reply.text
                if len(reply.text) <= _LONGEST_REPLY
                else reply.text[:_LONGEST_REPLY] + "..."
            )
            lines.append(f"  turn {reply.turn} was answered: {text!r}")
    return "\n".join(lines)


def _run_options(config: pytest.Config) -> "RunOptions":
    """The options of the agent's runs.

    Raises:
        pytest.UsageError: `--agent-args` are none of `understudy run`, or not for single cases.
    """
    from harness.cli.run_options import OF_WHOLE_RUNS, parse_run_options
    from harness.errors import HarnessError

    try:
        options, given = parse_run_options(shlex.split(config.getoption("--agent-args")))
    except (HarnessError, ValueError) as error:
        raise pytest.UsageError(f"--agent-args: {error}") from None
    if odd := sorted(given & OF_WHOLE_RUNS):
        named = odd[0].replace("_", "-")
        raise pytest.UsageError(f"--agent-args: --{named} is for `understudy run`; leave it out")
    return replace(options, agent=config.getoption("--agent"))
