from collections.abc import Mapping
from typing import Any

import pytest

from mockserver.apis.firestore import DOCUMENTS
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from tests.mockserver.apis.firestore.conftest import ROOT, Firestore, documents

ANN, BOB = f"{ROOT}/users/ann", f"{ROOT}/users/bob"
FIRST, LATER = "2026-03-02T09:00:00.000001Z", "2026-03-02T09:00:00.000002Z"


def number(value: float) -> JsonObject:
    return {"integerValue": str(value)} if isinstance(value, int) else {"doubleValue": value}


def array(*values: JsonObject) -> JsonObject:
    return {"arrayValue": {"values": list(values)}}


def test_a_document_is_created_read_changed_and_deleted(empty: Firestore) -> None:
    body: JsonObject = {"fields": {"a": number(1), "m": {"mapValue": {"fields": {"x": number(1)}}}}}
    made = empty.ask("createDocument", body, collectionId="users", documentId="ann")
    assert made == {
        "name": ANN, **body, "createTime": FIRST, "updateTime": FIRST,
    }  # fmt: skip
    assert empty.ask("get", name=ANN) == made
    body = {"fields": {"m": {"mapValue": {"fields": {"y": number(2)}}}, "no": number(3)}}
    paths = ["m.y", "a"]
    changed = empty.ask("patch", body, name=ANN, updateMask__fieldPaths=paths)
    assert changed["fields"] == {
        "m": {"mapValue": {"fields": {"x": number(1), "y": number(2)}}}
    }  # fmt: skip
    assert (changed["createTime"], changed["updateTime"]) == (made["createTime"], LATER)
    shown = empty.ask("get", name=ANN, mask__fieldPaths=["m.x"])
    assert shown["fields"] == {"m": {"mapValue": {"fields": {"x": number(1)}}}}
    replaced = empty.ask("patch", {}, name=ANN)
    assert replaced["fields"] == {}
    assert empty.ask("delete", name=ANN) == {}
    with pytest.raises(ApiError, match=r'Document ".*/users/ann" not found\.') as refused:
        empty.ask("get", name=ANN)
    assert refused.value.status == 404


def test_an_id_is_made_for_a_document_without_one(empty: Firestore) -> None:
    names = {empty.ask("createDocument", collectionId="users")["name"] for _ in range(2)}
    assert {len(name.rpartition("/")[2]) for name in names} == {20}
    assert len(names) == 2


def test_a_write_that_changes_nothing_keeps_the_time(empty: Firestore) -> None:
    empty.set("users/ann", a=number(1))
    answer = empty.write({"update": {"name": ANN, "fields": {"a": number(1)}}})
    assert answer["writeResults"] == [{"updateTime": FIRST}]
    assert answer["commitTime"] == LATER


NAN = {"doubleValue": "NaN"}
TRANSFORMS: Mapping[str, tuple[JsonObject | None, JsonObject, JsonObject]] = {
    "increment": (number(1), {"increment": number(2)}, number(3)),
    "increment of another type": (number(1), {"increment": number(0.5)}, number(1.5)),
    "increment of nothing": (None, {"increment": number(2)}, number(2)),
    "increment of a text": ({"stringValue": "x"}, {"increment": number(2)}, number(2)),
    "increment beyond": (number(2**63 - 1), {"increment": number(2)}, number(2**63 - 1)),
    "maximum": (number(1), {"maximum": number(2.5)}, number(2.5)),
    "maximum that is there": (number(3), {"maximum": number(2)}, number(3)),
    "maximum of equals": (number(3), {"maximum": number(3.0)}, number(3)),
    "maximum of nothing": (None, {"maximum": number(3)}, number(3)),
    "maximum of no number": (number(3), {"maximum": NAN}, NAN),
    "minimum": (number(3), {"minimum": number(2)}, number(2)),
    "minimum of no number": (NAN, {"minimum": number(2)}, NAN),
    "union": (
        array(number(1), number(1)),
        {"appendMissingElements": {"values": [number(1.0), number(2), number(2)]}},
        array(number(1), number(1), number(2)),
    ),
    "union with a text": (
        {"stringValue": "x"},
        {"appendMissingElements": {"values": [number(2)]}},
        array(number(2)),
    ),
    "difference": (
        array(number(1), number(2), number(1)),
        {"removeAllFromArray": {"values": [number(1.0)]}},
        array(number(2)),
    ),
    "difference of nothing": (
        None,
        {"removeAllFromArray": {"values": [number(1)]}},
        {"arrayValue": {}},
    ),
    "time": (
        None,
        {"setToServerValue": "REQUEST_TIME"},
        {"timestampValue": "2026-03-02T09:00:00Z"},
    ),
}


@pytest.mark.parametrize(("own", "given", "after"), TRANSFORMS.values(), ids=TRANSFORMS)
def test_transforms(
    empty: Firestore, own: JsonObject | None, given: JsonObject, after: JsonObject
) -> None:
    fields = {} if own is None else {"a": {"mapValue": {"fields": {"b-c": own}}}}
    update: JsonObject = {"update": {"name": ANN, "fields": fields}}
    answer = empty.write({**update, "updateTransforms": [{"fieldPath": "a.`b-c`", **given}]})
    found = empty.fields("users/ann")["a"]["mapValue"]["fields"]["b-c"]
    assert found == after
    is_array = bool(given.keys() & {"appendMissingElements", "removeAllFromArray"})
    result = {"nullValue": None} if is_array else after
    assert answer["writeResults"][0]["transformResults"] == [result]


def test_a_transform_alone_leaves_the_other_fields(empty: Firestore) -> None:
    empty.set("users/ann", a=number(1), b=number(5))
    transforms = [{"fieldPath": "b", "increment": number(1)}]
    empty.write({"transform": {"document": ANN, "fieldTransforms": transforms}})
    assert empty.fields("users/ann") == {"a": number(1), "b": number(6)}


SEEN, AHEAD = "2026-03-02T08:00:00Z", "2030-01-01T00:00:00Z"
REFUSALS: Mapping[str, tuple[JsonObject, str, int]] = {
    "there": (
        {"update": {"name": ANN}, "currentDocument": {"exists": False}},
        "Document already exists: .*/users/ann", 409,
    ),
    "absent": (
        {"update": {"name": BOB}, "currentDocument": {"exists": True}},
        "No document to update: .*/users/bob", 404,
    ),
    "absent to delete": (
        {"delete": BOB, "currentDocument": {"exists": True}}, "No document to delete", 404,
    ),
    "changed": (
        {"delete": ANN, "currentDocument": {"updateTime": "2026-03-01T09:00:00Z"}},
        "the stored version .* does not match the required base version", 400,
    ),
    "never there": (
        {"verify": BOB, "currentDocument": {"updateTime": SEEN}}, "the stored version .0.", 400,
    ),
    "not yet": (
        {"delete": ANN, "currentDocument": {"updateTime": AHEAD}}, "cannot be in the future", 400,
    ),
    "nothing": ({}, "A write must have an operation", 400),
    "elsewhere": (
        {"delete": "projects/p/databases/other/documents/a/b"}, "does not belong", 400,
    ),
    "no number": (
        {"update": {"name": ANN}, "updateTransforms": [
            {"fieldPath": "a", "increment": {"stringValue": "x"}}]},
        "operand of an increment must be a number", 400,
    ),
    "no extreme": (
        {"update": {"name": ANN}, "updateTransforms": [
            {"fieldPath": "a", "minimum": {"stringValue": "x"}}]},
        "operand of a maximum or minimum must be a number", 400,
    ),
    "no transform": (
        {"update": {"name": ANN}, "updateTransforms": [{"fieldPath": "a"}]},
        "must have a type", 400,
    ),
    "many transforms": (
        {"update": {"name": ANN}, "updateTransforms": [{}] * 501}, "more than 500", 400,
    ),
    "too large": (
        {"update": {"name": ANN, "fields": {"a": {"stringValue": "x" * 1_100_000}}}},
        "exceeds the maximum allowed size", 400,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("write", "says", "status"), REFUSALS.values(), ids=REFUSALS)
def test_a_commit_is_done_whole_or_not_at_all(
    empty: Firestore, write: JsonObject, says: str, status: int
) -> None:
    empty.set("users/ann", a=number(1))
    with pytest.raises(ApiError, match=says) as refused:
        empty.write({"update": {"name": f"{ROOT}/users/new"}}, write)
    assert refused.value.status == status
    assert empty.find({"from": [{"collectionId": "users"}]}) == ["users/ann"]


def test_a_batch_does_what_it_can(empty: Firestore) -> None:
    writes: list[Any] = [
        {"update": {"name": ANN}},
        {"update": {"name": BOB}, "currentDocument": {"exists": True}},
        {"delete": f"{ROOT}/users/cy"},
    ]
    answer = empty.ask("batchWrite", {"writes": writes})
    assert [each["code"] for each in answer["status"]] == [0, 5, 0]
    assert "No document to update" in answer["status"][1]["message"]
    assert answer["writeResults"] == [{"updateTime": FIRST}, {}, {}]
    with pytest.raises(ApiError, match="more than once"):
        empty.ask("batchWrite", {"writes": [writes[0], {"delete": ANN}]})


def test_what_a_session_wrote_is_its_diff_and_is_taken_back() -> None:
    ours = documents(users__ann={"a": 1})
    ours.set("users/bob")
    assert list(ours.world.diff()[DOCUMENTS]["added"]) == [BOB]
    ours.world.undo(0)
    assert ours.find({"from": [{"collectionId": "users"}]}) == ["users/ann"]
