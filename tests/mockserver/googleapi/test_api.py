from dataclasses import FrozenInstanceError

import pytest

from mockserver.googleapi import Api, Call, Collection, SnapshotImport
from mockserver.model import JsonObject


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
