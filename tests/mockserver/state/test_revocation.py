from datetime import UTC, datetime, timedelta

from mockserver.state import (
    Base,
    Clock,
    Ids,
    World,
    end_token,
    expire_tokens,
    find_token,
    first_token,
    is_revoked,
    issue_token,
    mark_revoked,
    note_signed,
    refresh_token,
    revoke_all,
    service_account_email,
)

NOW = datetime(2026, 11, 1, tzinfo=UTC)


def make_world() -> World:
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    return World(Base({}, {}, NOW), clock=clock, ids=Ids(1), session="s1")


def issued(world: World) -> str:
    return issue_token(world, email="ann@example.com", scopes=("a",), lifetime_s=60)


def is_over(world: World, token: str) -> bool:
    found = find_token(world, token)
    assert found is not None
    return bool(found["expired"])


def test_a_token_ends_once() -> None:
    world = make_world()
    token = issued(world)
    assert end_token(world, token)
    assert is_over(world, token)
    assert not end_token(world, token)
    assert not end_token(world, "ya29.foreign")


def test_all_tokens_expire_and_new_ones_are_good() -> None:
    world = make_world()
    old = issued(world)
    assert expire_tokens(world) == 2
    assert is_over(world, old)
    assert is_over(world, first_token("s1", "0"))
    assert not is_over(world, issued(world))
    assert expire_tokens(world) == 1


def test_the_end_of_a_token_is_not_told_twice() -> None:
    world = make_world()
    token = issued(world)
    expire_tokens(world)
    row = find_token(world, token)
    world.clock.advance(timedelta(hours=1))
    expire_tokens(world)
    assert find_token(world, token) == row


def test_what_is_revoked_cannot_be_renewed() -> None:
    world = make_world()
    assert not is_revoked(world, refresh_token("s1", "0"))
    assert revoke_all(world) == 3
    assert is_revoked(world, refresh_token("s1", "0"))
    assert is_revoked(world, service_account_email(world))
    assert revoke_all(world) == 0


def test_marks_are_no_tokens() -> None:
    world = make_world()
    mark_revoked(world, "1//r")
    note_signed(world, "eyJ")
    assert find_token(world, "revoked/1//r") is None
    assert find_token(world, "signed/eyJ") is None
    assert is_revoked(world, "1//r")


def test_a_self_signed_token_is_refused_once_after_it_was_told_to_be_over() -> None:
    world = make_world()
    assert note_signed(world, "eyJ.a.b")
    assert note_signed(world, "eyJ.a.b")
    assert expire_tokens(world) == 2
    assert not note_signed(world, "eyJ.a.b")
    assert note_signed(world, "eyJ.a.b")
