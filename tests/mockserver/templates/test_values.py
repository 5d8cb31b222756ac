"""What templates may speak of: the state, the clock, ids and made-up values of a session."""

import sys
from datetime import UTC, datetime
from typing import Any

import pytest

from mockserver.state import Base, Clock, Ids, Table, World
from mockserver.templates import TemplateError, session_values, template
from mockserver.templates.values import FAKES

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
TABLES = {
    "users": Table({"ann": {"name": "Ann"}}),
    "travel.flights": Table({"F1": {"price": 80}, "F2": {"price": 120}}),
    "travel.bookings": Table({"B1": {"status": "confirmed"}}),
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
        ("{{ session.id }}-{{ seq }}", "s1-1"),
        ("{{ uuid() != uuid() }}", True),
    ],
)
def test_a_template_speaks_of_its_session(source: str, expected: Any) -> None:
    assert rendered(source) == expected


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
    with pytest.raises(TemplateError, match=r"understudy\[fake\]"):
        rendered("{{ fake.name }}")
    _faker.cache_clear()


def test_a_moment_beyond_all_clocks_is_an_error() -> None:
    with pytest.raises(TemplateError, match="OverflowError"):
        rendered("{{ now(days=10 ** 9) }}")
