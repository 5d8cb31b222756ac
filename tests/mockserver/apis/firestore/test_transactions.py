from typing import Any

import pytest

from mockserver.apis.firestore.values import value_of_json
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state.history import History
from tests.mockserver.apis.firestore.conftest import ROOT, Firestore, documents

A, B = f"{ROOT}/c/a", f"{ROOT}/c/b"
ONE = value_of_json(1)
FROM: JsonObject = {"from": [{"collectionId": "c"}]}
WRITE: JsonObject = {"update": {"name": B, "fields": {"n": ONE}}}
INVALID, EXPIRED = "Invalid transaction", "no longer valid"


@pytest.fixture
def ours() -> Firestore:
    return documents(c__a={"n": 1})


def begin(ours: Firestore, **options: Any) -> str:
    return str(ours.ask("beginTransaction", {"options": options})["transaction"])


def read_document(ours: Firestore, token: str) -> None:
    ours.ask("get", name=A, transaction=token)


def read_missing(ours: Firestore, token: str) -> None:
    ours.ask("batchGet", {"documents": [B], "transaction": token})


def run_query(ours: Firestore, token: str) -> None:
    ours.find(FROM, transaction=token)


def count(ours: Firestore, token: str) -> None:
    asked = {"structuredQuery": FROM, "aggregations": [{"count": {}}]}
    body: JsonObject = {"structuredAggregationQuery": asked, "transaction": token}
    ours.ask("runAggregationQuery", body)


@pytest.mark.parametrize(
    ("read", "path"),
    [(read_document, "c/a"), (read_missing, "c/b"), (run_query, "c/x"), (count, "c/x")],
)
def test_what_was_read_must_still_be_so(ours: Firestore, read: Any, path: str) -> None:
    token = begin(ours)
    read(ours, token)
    ours.write({"update": {"name": f"{ROOT}/other/x"}}, transaction=begin(ours))
    ours.set(path, n=value_of_json(2))
    with pytest.raises(ApiError, match="Too much contention") as refused:
        ours.write(WRITE, transaction=token)
    assert (refused.value.status, refused.value.code_name) == (409, "ABORTED")
    with pytest.raises(ApiError, match=EXPIRED):
        ours.write(WRITE, transaction=token)
    again = begin(ours, readWrite={"retryTransaction": token})
    read(ours, again)
    assert ours.write(WRITE, transaction=again)["writeResults"]


def test_a_transaction_ends_once(ours: Firestore) -> None:
    token = begin(ours)
    assert ours.ask("rollback", {"transaction": token}) == {}
    for verb in ("rollback", "commit"):
        with pytest.raises(ApiError, match=EXPIRED):
            ours.ask(verb, {"transaction": token})
        with pytest.raises(ApiError, match=INVALID):
            ours.ask(verb, {"transaction": "eA=="})


def test_a_read_begins_a_transaction(ours: Firestore) -> None:
    body: JsonObject = {"documents": [B, A], "newTransaction": {"readWrite": {}}}
    opened, found, missing = ours.ask("batchGet", body)
    assert (found["found"]["name"], missing["missing"]) == (A, B)
    ours.set("c/a", n=value_of_json(2))
    with pytest.raises(ApiError, match="Too much contention"):
        ours.write(WRITE, transaction=opened["transaction"])


def test_a_reader_sees_one_moment_and_writes_nothing(ours: Firestore) -> None:
    token = begin(ours, readOnly={})
    ours.set("c/a", n=value_of_json(2))
    ours.set("c/b")
    assert ours.ask("get", name=A, transaction=token)["fields"] == {"n": ONE}
    assert ours.find(FROM, transaction=token) == ["c/a"]
    with pytest.raises(ApiError, match="read-only"):
        ours.write(WRITE, transaction=token)
    ours.ask("commit", {"transaction": begin(ours, readOnly={})})


def test_the_past_is_read(ours: Firestore) -> None:
    ours.set("c/b")
    times = [ours.write(WRITE)["commitTime"], ours.write({"delete": B})["commitTime"]]
    assert ours.ask("get", name=B, readTime=times[0])["fields"] == {"n": ONE}
    assert ours.find(FROM, readTime=times[0]) == ["c/a", "c/b"]
    assert ours.find(FROM) == ["c/a"]
    early = begin(ours, readOnly={"readTime": times[0]})
    assert ours.find(FROM, transaction=early) == ["c/a", "c/b"]
    with pytest.raises(ApiError, match="cannot be in the future"):
        ours.find(FROM, readTime="2030-01-01T00:00:00Z")


def test_what_is_forgotten_is_not_made_up(ours: Firestore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(History, "since", lambda *_: None)
    time = ours.write(WRITE)["commitTime"]
    for number in (2, 3):
        ours.set("c/a", n=value_of_json(number))
    with pytest.raises(ApiError, match="too old"):
        ours.find(FROM, readTime=time)
