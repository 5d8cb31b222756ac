"""What templates may speak of: the state, the clock, ids and made-up values of a session."""

import sys
from datetime import UTC, datetime
from typing import Any

import pytest

from mockserver.collections import Store
from mockserver.errors import MissingExtraError
from mockserver.state import (
    Base,
    Clock,
    Ids,
    World,
)
from mockserver.templates import TemplateError, session_values, template
from mockserver.templates.values import FAKES, nearest

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
TABLES = {
    "users": Store({"ann": {"name": "Ann"}}),
    "travel.flights": Store({"F1": {"price": 80}, "F2": {"price": 120}}),
    "travel.bookings": Store({"B1": {"status": "confirmed"}}),
}


def world(seed: int = 1) -> World:
    base = Base(TABLES, {}, NOW)
    return World(base, clock=Clock("shift", captured_at=NOW, real=lambda: NOW), ids=Ids(seed),
                 session="s1")  # fmt: skip


def rendered(source: str, *, seed: int = 1, number: int = 1, place: str = "http[0]") -> Any:
    return template(source).render(session_values(world(seed), place, number))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{{ state.users.ann.name }}", "Ann"),
        ("{{ state.travel.bookings.B1.status }}", "confirmed"),
        ("{{ state['travel.flights'].F1.price }}", 80),
        ("{{ state.travel.flights.values()|selectattr('price', '<', 100)|list }}", [{"price": 80}]),
        ("{{ state|list }}", ["travel", "users"]),
        ("{{ state.travel|length }}", 2),
        ("{{ now() }}", "2026-03-02T09:00:00.000Z"),
        ("{{ now(days=-1, hours=1, format='%d.%m. %H:%M') }}", "01.03. 10:00"),
        ("{{ now(minutes=-2, seconds=3) }}", "2026-03-02T08:58:03.000Z"),
        (
            "{{ 'nothing' in state.travel, 'trav' in state, 'users' in state }}",
            [False, False, True],
        ),
        ("{{ fake.integer is number and fake.date is string }}", True),
        ("{{ session.id }}-{{ seq }}", "s1-1"),
        ("{{ uuid() != uuid() }}", True),
    ],
)
def test_a_template_speaks_of_its_session(source: str, expected: Any) -> None:
    assert rendered(source) == expected


@pytest.mark.slow
def test_equal_sessions_make_up_alike() -> None:
    source = "{{ fake.name }}, {{ fake.email }}, {{ fake.name }}, {{ uuid() }}"
    first = rendered(source)
    assert first == rendered(source)
    others = {rendered(source, seed=2), rendered(source, number=2), rendered(source, place="x")}
    assert len({first, *others}) == 4
    assert first.split(", ")[0] != first.split(", ")[2]


@pytest.mark.parametrize("name", FAKES)
def test_all_fakes_are_there(name: str) -> None:
    assert rendered(f"{{{{ fake.{name} }}}}") not in {"", None}


def test_a_fake_that_is_not_there_is_told() -> None:
    with pytest.raises(TemplateError, match=r"no fake\.nmae; there are address"):
        rendered("{{ fake.nmae }}")


def test_without_its_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from mockserver.templates.values import _faker

    _faker.cache_clear()
    monkeypatch.setitem(sys.modules, "faker", None)
    with pytest.raises(MissingExtraError, match=r"understudy\[fake\]"):
        rendered("{{ fake.name }}")
    _faker.cache_clear()


def test_a_moment_beyond_all_clocks_is_an_error() -> None:
    with pytest.raises(TemplateError, match="OverflowError"):
        rendered("{{ now(days=10 ** 9) }}")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{{ nearest(rows, [0, 2]) | map(attribute='id') | list }}", ["b", "a"]),
        ("{{ nearest(rows, [1, 0], 1) }}", [{"id": "a", "score": 1.0}]),
        ("{{ nearest(rows.values(), [0, 0], none) | map(attribute='score') | list }}", [0.0, 0.0]),
        ("{{ nearest(rows, [1, 0], field='other') }}", []),
        ("{{ nearest(rows, [3, 4], 0) }}", []),
        (
            "{{ nearest(rows, [-3, 4]) }}",
            [{"id": "b", "score": 0.141421}, {"id": "a", "score": -0.6}],
        ),
        ("{{ nearest(many, [1, 0]) | length }}", 10),
    ],
)
def test_the_nearest_rows_are_found(source: str, expected: Any) -> None:
    rows = {"a": {"id": "a", "vector": [2, 0]}, "b": {"id": "b", "vector": [1, 1]}, "c": {}}
    values = {**session_values(world(), "http[0]", 1), "rows": rows, "many": [rows["a"]] * 11}
    assert template(source).render(values) == expected


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("{{ nearest(rows, [1]) }}", "the vector has 1 numbers, the vector of row 0 has 2"),
        ("{{ nearest(rows, 'near') }}", "the vector is no list of numbers"),
        ("{{ nearest(rows, [1e100, 0]) }}", "the vector is no list of numbers"),
        ("{{ nearest(rows, [1, 0], -1) }}", "the limit is no number: -1"),
        ("{{ nearest(rows, ['near']) }}", "the vector is no list of numbers"),
        ("{{ nearest(rows, [1, 0], 'all') }}", "the limit is no number: 'all'"),
        ("{{ nearest('rows', [1, 0]) }}", "expected rows"),
        ("{{ nearest(3, [1, 0]) }}", "expected rows"),
    ],
)
def test_what_cannot_be_near_is_an_error(source: str, problem: str) -> None:
    values = {**session_values(world(), "http[0]", 1), "rows": [{"vector": [2, 0]}]}
    with pytest.raises(TemplateError, match=problem):
        template(source).render(values)


def test_a_search_over_too_many_numbers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockserver.templates.values.MOST_NUMBERS", 3)
    assert len(nearest([{"vector": [1, 0, 0]}, {}], [1, 0, 0])) == 1
    with pytest.raises(TemplateError, match="more than 3 numbers"):
        nearest([{"vector": [1, 0]}] * 2, [1, 0])
