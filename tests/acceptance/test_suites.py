"""The table of suites of public projects, and how their outcomes are read; none is run here."""

from pathlib import Path

import pytest

from tests.acceptance.suites import Outcome, Suite, lines_of, main, read_outcome, read_table

JUNIT = """<testsuites><testsuite>
<testcase classname="a" name="works"/>
<testcase classname="a" name="is_left_out"><skipped/></testcase>
<testcase classname="a" name="fails"><failure message="assert 1 == 2&#10;more"/></testcase>
<testcase classname="a" name="ends_badly"/>
<testcase classname="a" name="ends_badly"><error message="teardown"/></testcase>
</testsuite></testsuites>"""


def test_each_row_of_the_table_is_a_suite_and_every_package_has_its_version() -> None:
    packages, suites = read_table()
    assert [each for each in packages if each.count("==") != 1] == []
    assert [name for name, suite in suites.items() if suite.passes < 1] == []


def test_outcomes_are_read_from_junit() -> None:
    found = read_outcome(JUNIT)
    assert found == (("a.works",), {"a.fails": "assert 1 == 2", "a.ends_badly": "teardown"}, 1)


@pytest.mark.parametrize(
    ("expected", "fails", "told"),
    [
        (1, {"a.*": "no reason"}, ["1 1 2 0 1 ok"]),
        (2, {"*assert 1 ==*": "no reason"}, ["1 2 2 1 1 fell", "a.ends_badly: teardown"]),
    ],
)
def test_a_row_names_the_tests_that_fail_for_no_known_reason(
    expected: int, fails: dict[str, str], told: list[str]
) -> None:
    suite = Suite(folder="a", tests=("tests",), passes=expected, fails=fails)
    found = Outcome(*read_outcome(JUNIT))
    lines = [" ".join(line.split()) for line in lines_of("", suite, found)]
    assert lines == told


def test_a_folder_without_projects_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path), "--only", "gspread"]) == 2
    told = capsys.readouterr()
    assert told.out == f"gspread: there is no {tmp_path / 'gspread'}\n"
    assert told.err == "no project of a suite is there\n"
