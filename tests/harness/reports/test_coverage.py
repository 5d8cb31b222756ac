from harness.model import FixtureCoverage, RunCoverage, RunResult, facts_of
from harness.reports import console_report, html_report, report_of
from harness.reports.coverage import (
    CollectionView,
    coverage_json,
    coverage_lines,
    coverage_view,
)
from tests.harness.records import call, case_decision, record, reply, result

USERS = FixtureCoverage(
    collection="users", fields=3, never_read=("a", "b"), never_asserted=("b", "c"), read=("c",)
)
DEAD = FixtureCoverage(collection="logs", fields=1, never_read=("line",), never_asserted=("line",))


def touched(**facts: object) -> RunResult:
    trials = (
        record(reply("done", call("find", id=1))),
        record(reply("done", call("find", id=2)), number=2),
        record("done", case="C-2"),
    )
    known = {
        "coverage": RunCoverage(
            fixtures=(USERS, DEAD), tools=("find", "book"), never_called=("book",)
        )
    }
    made = result(case_decision("C-1", ["pass", "pass"]), case_decision("C-2", ["pass"]),
                  **(known | facts))  # fmt: skip
    return made.model_copy(update={"facts": tuple(map(facts_of, trials))})


def test_the_console_tells_it_in_a_few_lines() -> None:
    lines = [
        "fixture fields: 1 of 4 read, 1 named by a case",
        "dead fixtures, neither read nor named: logs",
        "tools that no trial called: book",
    ]
    assert coverage_lines(touched()) == lines
    assert "\n".join(lines) in console_report(touched())


def test_a_program_reads_it() -> None:
    found = report_of(touched())["summary"]["coverage"]
    assert found == coverage_json(touched())
    assert found["kinds"] == [
        {"covers": "find(id); answered", "trials": 2, "cases": ["C-1"]},
        {"covers": "no tools; answered", "trials": 1, "cases": ["C-2"]},
    ]
    assert found["fixtures"][0] == {
        "collection": "users", "fields": 3, "read": 1, "asserted": 1, "untouched": 1,
        "neverRead": ["a", "b"], "neverAsserted": ["b", "c"],
    }  # fmt: skip
    assert found["toolsNeverCalled"] == ["book"]


def test_a_page_shows_what_was_touched_of_each_collection() -> None:
    view = coverage_view(touched())
    assert view is not None
    assert view.collections == (
        CollectionView("users", fields=3, read=1, asserted=1, untouched="b", is_dead=False),
        CollectionView("logs", fields=1, read=0, asserted=0, untouched="line", is_dead=True),
    )
    assert (view.fields, view.read, view.asserted, view.tools) == (4, 1, 1, 2)
    assert (view.more_kinds, view.more_collections, view.never_called) == (0, 0, "book")


def test_the_page_tells_it() -> None:
    page = html_report(touched())
    for text in ("1 of 4 fields", "users", "all of it", "(of 2): book", "find(id); answered"):
        assert text in page


def test_a_run_of_which_nothing_is_known_has_no_coverage() -> None:
    nothing = result(case_decision("C-1", ["infra_error"]))
    assert coverage_view(nothing) is None
    assert coverage_json(nothing) is None
    assert coverage_lines(touched(coverage=None)) == []
    assert "<h2>Coverage</h2>" not in html_report(nothing)


def test_a_merged_run_names_the_parts_whose_coverage_is_missing() -> None:
    run = touched(coverage=RunCoverage(unknown_in=("r-1", "r-2")))
    line = "fixture fields: not known, as coverage.json is missing in what was merged: r-1, r-2"
    assert coverage_lines(run) == [line]
    assert line in html_report(run)
    found = coverage_json(run)
    assert found is not None
    assert (found["fixtures"], found["unknownIn"]) == (None, ["r-1", "r-2"])


def test_of_many_collections_and_kinds_the_first_are_shown() -> None:
    many = tuple(DEAD.model_copy(update={"collection": f"c{number}"}) for number in range(40))
    run = touched(coverage=RunCoverage(fixtures=many))
    kinds = tuple(facts_of(record(reply("x", f"t{number}"))) for number in range(40))
    view = coverage_view(run.model_copy(update={"facts": kinds}))
    assert view is not None
    assert (len(view.collections), view.more_collections) == (30, 10)
    assert (len(view.kinds), view.more_kinds) == (30, 10)
    page = html_report(run.model_copy(update={"facts": kinds}))
    assert "10 further collections" in page
    assert "10 further kinds" in page
    assert "all of it" not in page  # no trial read anything: that is no fault of the fixtures
