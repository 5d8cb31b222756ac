from datetime import UTC, datetime, timedelta

from mockserver.state import (
    Base,
    Clock,
    Ids,
    Table,
    World,
    admin_email,
    find_token,
    first_token,
    issue_token,
    session_of,
)


def make_world(session: str, customer: dict[str, str] | None = None) -> World:
    moment = datetime(2026, 11, 1, tzinfo=UTC)
    tables = {"customer": Table({"customer": customer})} if customer else {}
    base = Base(tables=tables, times={}, captured_at=moment)
    clock = Clock("frozen", captured_at=moment, real=lambda: moment)
    return World(base, clock=clock, ids=Ids(1), session=session)


def test_an_issued_token_names_its_session_and_expires_in_session_time() -> None:
    world = make_world("s1")
    token = issue_token(world, email="ann@example.com", scopes=("a",), lifetime_s=60)
    assert session_of(token) == "s1"
    found = find_token(world, token)
    assert found is not None
    assert (found["email"], found["scopes"], found["expired"]) == ("ann@example.com", ["a"], False)
    world.clock.advance(timedelta(seconds=60))
    expired = find_token(world, token)
    assert expired is not None
    assert expired["expired"]


def test_a_token_works_in_its_own_session_only() -> None:
    token = issue_token(make_world("s1"), email="a@example.com", scopes=(), lifetime_s=60)
    assert find_token(make_world("s2"), token) is None
    assert find_token(make_world("s2"), first_token("s1")) is None


def test_the_first_token_stands_for_the_administrator() -> None:
    world = make_world("s1", {"id": "C01234567", "customerDomain": "corp.example.com"})
    found = find_token(world, first_token("s1"))
    assert found is not None
    assert found["email"] == "admin@corp.example.com"
    assert admin_email(make_world("s1", {"customerEmail": "it@example.com"})) == "it@example.com"
