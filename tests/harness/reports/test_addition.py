"""A new report takes a module and a line of the table, as the documents say."""

from pathlib import Path

import pytest

from tests.additions import Addition, run_with

MODULE = '''
"""The verdicts alone, a line for each case."""

from harness.model import RunResult


def verdict_lines(result: RunResult) -> str:
    """Case and verdict, in run order."""
    return "".join(f"{each.case}: {each.verdict}\\n" for each in result.decisions)
'''
CASE = 'id: A\ninput: [{user: "Hello."}]\nexpect: {text: {contains: hello}}\n'
PROGRAM = """
from contextlib import suppress

from harness.cli.main import main

for words in (
    ["run", "case.yaml", "--agent", "echo", "--run-dir", "runs"],
    ["report", "latest", "--format", "verdicts", "--run-dir", "runs"],
):
    sys.argv = ["harness", *words]
    with suppress(SystemExit):
        main()
"""
ADDITION = Addition(
    module="harness/reports/verdict_lines.py",
    source=MODULE,
    table="harness/reports/formats.py",
    imported="from harness.reports.verdict_lines import verdict_lines",
    after="_OWN: Mapping[str, Mapping[str, Report]] = {\n",
    line='    "verdicts": {"verdicts.txt": verdict_lines},\n',
)


@pytest.mark.slow
def test_a_report_is_added_by_a_module_and_a_line(tmp_path: Path) -> None:
    (tmp_path / "case.yaml").write_text(CASE, encoding="utf-8")
    run_with(ADDITION, tmp_path, PROGRAM)
    (written,) = (tmp_path / "runs").glob("*/**/verdicts.txt")
    assert written.read_text(encoding="utf-8") == "A: passed\n"
