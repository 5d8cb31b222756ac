from dataclasses import FrozenInstanceError
from datetime import UTC, datetime

import pytest

from mockserver.googleapi import ANONYMOUS, Api, Call, Collection, SnapshotImport
from mockserver.model import JsonObject
from mockserver.state import Base, Clock, Ids, World


def ping(call: Call) -> JsonObject:
    return {"id": call.id}


def test_an_api_declares_itself_in_one_value() -> None:
    api = Api(name="shop", documents=(("shop", "v1"),), handlers={"shop.ping": ping})
    assert api.handlers["shop.ping"] is ping
    assert (api.dialect, api.collections, api.supplements) == ("one_platform", (), ())
    assert api.import_snapshot is None


def test_a_declaration_cannot_change() -> None:
    api = Api(name="shop", documents=(), handlers={})
    with pytest.raises(FrozenInstanceError):
        api.name = "other"  # type: ignore[misc]  # the point of the test


def test_imports_share_nothing() -> None:
    one, other = SnapshotImport({}), SnapshotImport({})
    one.tables["users"] = {}
    one.changes.append(("/users", "read"))
    assert (other.tables, other.changes, other.faults, other.problems) == ({}, [], [], [])


def test_a_collection_has_no_timestamps_unless_it_says_so() -> None:
    assert Collection("users", "people").times == ()


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
