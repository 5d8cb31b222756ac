import pytest

from harness.checks.registry import check
from harness.model import ExitCode, ExpectedFile, Files, WorkspaceFile
from tests.harness.records import record

TRIAL = record(
    "x",
    files={
        "out/report.txt": WorkspaceFile(size=10, text="All done."),
        "big.bin": WorkspaceFile(size=10_000_000),
    },
)


@pytest.mark.parametrize(
    ("expected", "status", "reason"),
    [
        pytest.param(ExpectedFile(path="out/report.txt"), "pass", "", id="there"),
        pytest.param(
            ExpectedFile(path="./out/report.txt", contains=("done",)), "pass", "", id="with-text"
        ),
        pytest.param(
            ExpectedFile(path="out/report.txt", contains=("Done",)),
            "fail",
            "files: 'out/report.txt' lacks 'Done'",
            id="without-text",
        ),
        pytest.param(
            ExpectedFile(path="out/report.txt", contains=("DONE",), exact_case=False),
            "pass",
            "",
            id="letter-case-aside",
        ),
        pytest.param(ExpectedFile(path="x"), "fail", "files: 'x' is not there", id="missing"),
        pytest.param(ExpectedFile(path="x", absent=True), "pass", "", id="absent"),
        pytest.param(
            ExpectedFile(path="big.bin", absent=True),
            "fail",
            "files: 'big.bin' is there, but must not be",
            id="not-absent",
        ),
        pytest.param(ExpectedFile(path="big.bin"), "pass", "", id="large"),
        pytest.param(
            ExpectedFile(path="big.bin", contains=("x",)),
            "not_evaluated",
            "binary or too large to be kept: 'big.bin'",
            id="unread",
        ),
    ],
)
def test_files_at_the_end(expected: ExpectedFile, status: str, reason: str) -> None:
    found = check(TRIAL, Files(files=(expected,)))
    assert (found.status, found.reason) == (status, reason)


def test_the_exit_code_is_compared() -> None:
    assert check(record("x", exit_code=0), ExitCode(code=0)).status == "pass"
    found = check(record("x", exit_code=3), ExitCode(code=0))
    assert (found.status, found.reason) == ("fail", "exit code 3, expected 0")


def test_an_agent_without_a_process_has_none() -> None:
    assert check(record("x"), ExitCode(code=0)).status == "not_evaluated"


def test_every_file_that_is_wrong_is_told() -> None:
    found = check(TRIAL, Files(files=(ExpectedFile(path="x"), ExpectedFile(path="y"))))
    assert found.reason == "files: 'x' is not there; 'y' is not there"
    assert found.numbers["problems"] == ["'x' is not there", "'y' is not there"]
