from datetime import UTC, datetime

from mockserver.googleapi import ANONYMOUS, Call
from mockserver.state import Base, Clock, Ids, World

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def call() -> Call:
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    world = World(Base({}, {}, NOW), clock=clock, ids=Ids(0), session="s")
    return Call(id="shop.ping", params={}, body={}, world=world)


def test_a_call_is_anonymous_unless_it_says_who_asks() -> None:
    assert call().caller is ANONYMOUS
    assert (ANONYMOUS.token, ANONYMOUS.email, ANONYMOUS.scopes) == ("", "", ())


def test_calls_do_not_share_what_they_ignored() -> None:
    one, other = call(), call()
    one.ignored.append("view")
    assert other.ignored == []


def test_a_call_reads_the_session_s_time() -> None:
    assert call().world.clock.now() == NOW
