"""Files in the workspace at the end of the trial."""

from harness.checks.phrases import quoted
from harness.checks.results import failed, not_evaluated, verdict
from harness.model import CheckResult, ExpectedFile, Files, TrialRecord


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
        return not_evaluated(expectation, f"binary or too large to be kept: {quoted(unread)}")
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
    return [f"{expected.path!r} lacks {quoted(lacking)}"] if lacking else []


def _lacks(text: str, wanted: str, expected: ExpectedFile) -> bool:
    if expected.exact_case:
        return wanted not in text
    return wanted.casefold() not in text.casefold()


def _key(path: str) -> str:
    return "/".join(part for part in path.split("/") if part not in {"", "."})
