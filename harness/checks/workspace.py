"""What the agent's process left behind: the files of its workspace, and its exit code."""

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from harness.checks.expectation import AnyExpectation, Needle, failed, not_evaluated, verdict
from harness.checks.phrases import quote_names
from harness.checks.sections import name_or_object, value_section
from harness.trials.decisions import CheckResult
from harness.trials.records import TrialRecord
from harness.trials.values import Frozen


class ExpectedFile(Frozen):
    """A file in the trial's workspace.

    Attributes:
        path: Relative to the workspace; it may not leave it.
        contains: Texts it must hold.
        exact_case: False: letter case does not matter.
        absent: True: it must not be there.
    """

    path: Needle
    contains: tuple[Needle, ...] = ()
    exact_case: bool = True
    absent: bool = False


class Files(AnyExpectation):
    """Files in the trial's workspace at its end."""

    kind: Literal["files"] = "files"
    failure: ClassVar[str] = "files"
    expected_numbers: ClassVar[tuple[str, ...]] = ("files",)
    quotes_values: ClassVar[bool] = True
    files: tuple[ExpectedFile, ...] = Field(min_length=1)


class ExitCode(AnyExpectation):
    """What the agent's process exited with."""

    kind: Literal["exit_code"] = "exit_code"
    failure: ClassVar[str] = "exit code"
    expected_numbers: ClassVar[tuple[str, ...]] = ("expected",)
    code: int


def check_files(record: TrialRecord, expectation: Files) -> CheckResult:
    """Whether files are there, are not, and hold the texts (letter case as the case says)."""
    problems: list[str] = []
    unread: list[str] = []
    for expected in expectation.files:
        problems += _problems(record, expected)
        file = record.files.get(_key(expected.path))
        if file and file.text is None and expected.contains and not expected.absent:
            unread.append(expected.path)
    if problems:
        return failed(expectation, "files: " + "; ".join(problems), problems=problems)
    if unread:
        return not_evaluated(expectation, f"binary or too large to be kept: {quote_names(unread)}")
    return verdict(expectation, "", files=len(expectation.files))


def _problems(record: TrialRecord, expected: ExpectedFile) -> list[str]:
    file = record.files.get(_key(expected.path))
    if expected.absent:
        return [f"{expected.path!r} is there, but must not be"] if file else []
    if file is None:
        return [f"{expected.path!r} is not there"]
    text = file.text
    lacking = (
        [] if text is None else [each for each in expected.contains if _lacks(text, each, expected)]
    )
    return [f"{expected.path!r} lacks {quote_names(lacking)}"] if lacking else []


def _lacks(text: str, wanted: str, expected: ExpectedFile) -> bool:
    if expected.exact_case:
        return wanted not in text
    return wanted.casefold() not in text.casefold()


def _key(path: str) -> str:
    return "/".join(part for part in path.split("/") if part not in {"", "."})


def check_exit_code(record: TrialRecord, expectation: ExitCode) -> CheckResult:
    """Whether the process exited with the code; an agent without a process has none."""
    if record.exit_code is None:
        return not_evaluated(expectation, "the agent has no exit code: it is not a process of ours")
    wrong = record.exit_code != expectation.code
    reason = f"exit code {record.exit_code}, expected {expectation.code}" if wrong else ""
    return verdict(expectation, reason, exit_code=record.exit_code, expected=expectation.code)


def _in_workspace(file: ExpectedFile) -> ExpectedFile:
    if file.path.startswith("/") or ".." in file.path.split("/") or "\\" in file.path:
        raise ValueError(f"{file.path!r} leaves the workspace")
    if file.absent and file.contains:
        raise ValueError(f"{file.path!r} cannot be absent and contain something")
    return file


FILES = value_section(
    Files,
    "files",
    tuple[
        Annotated[
            ExpectedFile, name_or_object("path", ExpectedFile), AfterValidator(_in_workspace)
        ],
        ...,
    ],
    "Files of the workspace at the end: `{path, contains, absent}`.",
)
EXIT_CODE = value_section(
    ExitCode, "code", int, "What the agent's process exits with.", default=None
)
