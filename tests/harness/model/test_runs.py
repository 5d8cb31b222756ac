from hypothesis import given
from hypothesis import strategies as st

from harness.model import (
    Canary,
    FixtureCoverage,
    RunCoverage,
    RunManifest,
    joined_coverage,
    untouched_first,
)
from tests.harness.records import manifest


def test_a_manifest_survives_the_way_through_json() -> None:
    made = manifest(["C-1"], policy={"rate": 0.6}, note="why")
    assert RunManifest.model_validate_json(made.model_dump_json()) == made


def test_a_canary_without_an_error_sang() -> None:
    assert Canary(when="before", at="2026-11-20T10:15:00Z").error == ""


PATHS = ("id", "name", "size")


def collection(name: str, have: set[str], read: set[str], named: set[str]) -> FixtureCoverage:
    paths = [path for path in PATHS if path in have]
    return FixtureCoverage(
        collection=name,
        fields=len(paths),
        never_read=tuple(path for path in paths if path not in read),
        never_asserted=tuple(path for path in paths if path not in named),
        read=tuple(path for path in paths if path in read),
    )


SETS = st.frozensets(st.sampled_from(PATHS))
PARTS = st.lists(
    st.tuples(st.frozensets(st.sampled_from(PATHS), min_size=1), SETS, SETS), min_size=1
)


@given(PARTS)
def test_a_field_is_untouched_in_several_runs_where_none_that_has_it_touched_it(
    parts: list[tuple[frozenset[str], frozenset[str], frozenset[str]]],
) -> None:
    runs = [
        RunCoverage(fixtures=(collection("users", {*have}, {*read}, {*named}),))
        for have, read, named in parts
    ]
    (found,) = joined_coverage({str(at): each for at, each in enumerate(runs)}).fixtures
    have = {path for each, _, _ in parts for path in each}
    read = {path for each, told, _ in parts for path in each & told}
    named = {path for each, _, told in parts for path in each & told}
    assert found.fields == len(have)
    assert (set(found.read), set(found.never_read)) == (read, have - read)
    assert set(found.never_asserted) == have - named
    assert set(found.untouched) == have - read - named


def test_tools_of_several_runs_are_joined_and_the_most_untouched_collection_is_first() -> None:
    one = RunCoverage(tools=("a", "b"), never_called=("a", "b"))
    two = RunCoverage(tools=("b", "c"), never_called=("c",))
    joined = joined_coverage({"1": one, "2": two})
    assert (joined.tools, joined.never_called) == (("a", "b", "c"), ("a", "c"))
    few = collection("a", {"id"}, set(), set())
    many = collection("z", {"id", "name"}, set(), set())
    assert untouched_first([few, many]) == (many, few)


def test_what_a_run_without_coverage_touched_is_known_of_no_run_that_was_merged_with_it() -> None:
    one = RunCoverage(tools=("a",), never_called=("a",))
    first = joined_coverage({"1": one, "2": None})
    assert first == RunCoverage(unknown_in=("2",))
    assert joined_coverage({"3": None, "1-2": first}) == RunCoverage(unknown_in=("3", "2"))
