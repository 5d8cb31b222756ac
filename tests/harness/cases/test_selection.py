import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.cases import (
    CATEGORIES,
    LIFECYCLE,
    count_categories,
    count_stages,
    count_tags,
    gaps,
    select,
)
from harness.cases.selection import misspelt_stages
from harness.errors import Exit, HarnessError
from harness.model import Case, Turn
from tests.harness.records import case as tagged_case


def case(name: str, category: str, *tags: str) -> Case:
    return Case(id=name, category=category, tags=tags, turns=(Turn(user="Why?"),))


CASES = (
    case("EC-057", "connector", "dlp", "regression"),
    case("EC-058", "connector", "scope"),
    case("EC-060", "dlp", "dlp"),
    case("EC-061", "policy"),
)


def chosen(**filters: object) -> list[str]:
    return [found.id for found in select(CASES, **filters)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        ({}, ["EC-057", "EC-058", "EC-060", "EC-061"]),
        ({"ids": ["EC-058", "EC-057"]}, ["EC-057", "EC-058"]),
        ({"ids": [" ec-058 ", ""]}, ["EC-058"]),
        ({"category": ["connector"]}, ["EC-057", "EC-058"]),
        ({"category": ["Connector", "policy"]}, ["EC-057", "EC-058", "EC-061"]),
        ({"tags": ["dlp"]}, ["EC-057", "EC-060"]),
        ({"tags": ["scope", "DLP"]}, ["EC-057", "EC-058", "EC-060"]),
        ({"limit": 2}, ["EC-057", "EC-058"]),
        ({"limit": 9}, ["EC-057", "EC-058", "EC-060", "EC-061"]),
        ({"ids": ["EC-057", "EC-060"], "category": ["dlp"], "tags": ["dlp"]}, ["EC-060"]),
        ({"tags": ["dlp"], "limit": 1}, ["EC-057"]),
    ],
    ids=str,
)
def test_filters_combine_and_the_limit_comes_last(
    filters: dict[str, object], ids: list[str]
) -> None:
    """CEP-25, CEP-27, CEP-28, CEP-33, CEP-59."""
    assert chosen(**filters) == ids


@pytest.mark.parametrize("category", CATEGORIES)
def test_all_fifteen_categories_are_known_by_name(category: str) -> None:
    """CEP-26: a category without cases is an empty selection, not an unknown name."""
    if category in {"connector", "dlp", "policy"}:
        assert chosen(category=[category])
    else:
        with pytest.raises(HarnessError, match=f"no case is selected by category {category}"):
            chosen(category=[category])


@pytest.mark.parametrize(
    ("filters", "message", "hint"),
    [
        ({"ids": ["EC-57"]}, "unknown case 'EC-57'", "did you mean 'EC-057'?"),
        ({"category": ["conector"]}, "unknown category 'conector'", "did you mean 'connector'?"),
        ({"tags": ["regresion"]}, "unknown tag 'regresion'", "did you mean 'regression'?"),
        ({"limit": 0}, "a limit of 0 selects no case", "give 1 or more"),
        (
            {"ids": ["EC-061"], "tags": ["dlp"]},
            "no case is selected by ids EC-061; tags dlp",
            "",
        ),
    ],
    ids=str,
)
def test_a_mistake_in_a_filter_is_told_with_the_nearest(
    filters: dict[str, object], message: str, hint: str
) -> None:
    with pytest.raises(HarnessError) as caught:
        chosen(**filters)
    assert (caught.value.message, caught.value.hint) == (message, hint)
    assert caught.value.exit_code == Exit.USAGE


def test_a_suite_without_cases_selects_nothing() -> None:
    with pytest.raises(HarnessError, match="the suite has no cases"):
        select(())


def test_cases_are_counted_per_category_and_tag() -> None:
    """CEP-05, CEP-61, CEP-62."""
    assert count_categories(CASES) == {"connector": 2, "dlp": 1, "policy": 1}
    assert count_categories([case("X", "")]) == {"(none)": 1}
    assert count_tags(CASES) == {"dlp": 2, "regression": 1, "scope": 1}
    assert "updates" in gaps(CASES)
    assert "policy" not in gaps(CASES)


@given(st.integers(min_value=1, max_value=10))
def test_a_limit_takes_the_first_of_what_is_selected(limit: int) -> None:
    assert chosen(limit=limit) == chosen()[:limit]


def test_cases_are_counted_by_stage_those_without_any_too() -> None:
    """CEP-62: new path, bug that must not regress, customer failure, coverage gap."""
    cases = [
        tagged_case(tags=("Regression", "regression")),
        tagged_case(tags=("customer-failure", "units")),
    ]
    assert count_stages(cases) == {
        "new-path": 0, "regression": 1, "customer-failure": 1, "coverage-gap": 0,
    }  # fmt: skip
    assert list(LIFECYCLE) == list(count_stages([]))


@pytest.mark.parametrize("tag", ["regresion", "new_path", "Customer failure", "coverage-gaps"])
def test_a_tag_that_is_nearly_a_stage_is_a_typo(tag: str) -> None:
    (remark,) = misspelt_stages(tagged_case(tags=(tag,)))
    assert remark.about == [tag]
    assert "did you mean" in remark.hint


@pytest.mark.parametrize("tag", ["regression", "New-Path", "units", "inheritance"])
def test_stages_and_other_tags_are_fine(tag: str) -> None:
    assert list(misspelt_stages(tagged_case(tags=(tag,)))) == []
