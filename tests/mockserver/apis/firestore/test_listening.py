from collections.abc import Iterator
from typing import Any

import pytest

from mockserver.apis.firestore import API
from mockserver.apis.firestore.values import value_of_json
from mockserver.googleapi import ApiError, Call
from mockserver.model import JsonObject
from tests.mockserver.apis.firestore.conftest import DATABASE, PREFIX, ROOT, Firestore, documents

QUERY: JsonObject = {
    "from": [{"collectionId": "c"}],
    "where": {
        "fieldFilter": {
            "field": {"fieldPath": "n"},
            "op": "GREATER_THAN",
            "value": {"integerValue": "1"},
        }
    },
}


class Listener:
    """One stream of requests."""

    def __init__(self, ours: Firestore, verb: str = "listen") -> None:
        self._ours, self._verb = ours, f"{PREFIX}{verb}"
        self._shared: dict[str, Any] = {}
        self._steps: Iterator[JsonObject] = iter(())

    def send(self, **body: Any) -> Any:
        call = Call(self._verb, {"database": DATABASE}, body, self._ours.world)
        call.conversation = self._shared
        answer: Any = API.handlers[self._verb](call)
        if isinstance(answer, Iterator):
            self._steps = answer
        return answer

    def add(self, ident: int = 1, **target: Any) -> list[JsonObject]:
        self.send(addTarget={"targetId": ident, **target})
        return self.news()

    def news(self) -> list[JsonObject]:
        """What is told until there is nothing new."""
        found = []
        while step := next(self._steps):
            found.append(step)
        return found


def told(steps: list[JsonObject]) -> list[tuple[str, ...]]:
    """What steps say, without times."""
    found: list[tuple[str, ...]] = []
    for step in steps:
        ((kind, inner),) = step.items()
        if kind == "targetChange":
            found.append((inner["targetChangeType"], *map(str, inner["targetIds"])))
        elif kind == "filter":
            found.append((kind, str(inner["count"])))
        else:
            document = inner["document"]
            name = document if isinstance(document, str) else document["name"]
            found.append((kind, name.rpartition("/")[2]))
    return found


@pytest.fixture
def ours() -> Firestore:
    return documents(c__a={"n": 2}, c__b={"n": 1})


def test_a_query_is_followed(ours: Firestore) -> None:
    listener = Listener(ours)
    first = listener.add(7, query={"parent": ROOT, "structuredQuery": QUERY})
    assert told(first) == [
        ("ADD", "7"), ("documentChange", "a"), ("CURRENT", "7"), ("NO_CHANGE",),
    ]  # fmt: skip
    assert listener.news() == []
    ours.set("other/x")
    assert listener.news() == []
    ours.set("c/b", n=value_of_json(5))
    ours.set("c/a", n=value_of_json(0))
    assert told(listener.news()) == [
        ("documentChange", "b"), ("documentRemove", "a"), ("NO_CHANGE",),
    ]  # fmt: skip
    ours.write({"delete": f"{ROOT}/c/b"})
    assert told(listener.news()) == [("documentDelete", "b"), ("NO_CHANGE",)]
    listener.send(removeTarget=7)
    assert told(listener.news()) == [("REMOVE", "7")]
    ours.set("c/b", n=value_of_json(5))
    assert listener.news() == []


def test_documents_are_followed_beside_a_query(ours: Firestore) -> None:
    listener = Listener(ours)
    names = [f"{ROOT}/c/b", f"{ROOT}/c/none"]
    listener.add(1, query={"parent": ROOT, "structuredQuery": QUERY})
    assert told(listener.add(2, documents={"documents": names})) == [
        ("ADD", "2"), ("documentChange", "b"), ("documentDelete", "none"), ("CURRENT", "2"),
        ("NO_CHANGE",),
    ]  # fmt: skip
    ours.set("c/b", n=value_of_json(9))
    assert told(listener.news()) == [
        ("documentChange", "b"), ("documentChange", "b"), ("NO_CHANGE",),
    ]  # fmt: skip
    ours.world.undo(0)
    assert told(listener.news()) == [
        ("documentRemove", "b"), ("documentChange", "b"), ("NO_CHANGE",),
    ]  # fmt: skip


def test_a_listener_goes_on_where_it_was(ours: Firestore) -> None:
    query = {"parent": ROOT, "structuredQuery": QUERY}
    token = Listener(ours).add(query=query)[-1]["targetChange"]["resumeToken"]
    ours.set("c/b", n=value_of_json(5))
    ours.write({"delete": f"{ROOT}/c/a"})
    steps = Listener(ours).add(query=query, resumeToken=token, expectedCount=1)
    assert told(steps) == [
        ("ADD", "1"), ("documentChange", "b"), ("documentDelete", "a"), ("filter", "1"),
        ("CURRENT", "1"), ("NO_CHANGE",),
    ]  # fmt: skip
    late = Listener(ours).add(query=query, readTime="2030-01-01T00:00:00Z")
    assert told(late)[:2] == [("ADD", "1"), ("RESET", "1")]


def test_a_target_may_be_told_once(ours: Firestore) -> None:
    listener = Listener(ours)
    steps = listener.add(documents={"documents": [f"{ROOT}/c/a"]}, once=True)
    assert told(steps)[-2:] == [("NO_CHANGE",), ("REMOVE", "1")]
    ours.set("c/a")
    assert listener.news() == []


@pytest.mark.parametrize(
    "target",
    [
        {"query": {"parent": ROOT, "structuredQuery": {**QUERY, "offset": -1}}},
        {"documents": {"documents": [f"{ROOT}/c"]}},
        {"documents": {"documents": []}, "resumeToken": "eA=="},
    ],
)
def test_a_target_that_cannot_be_is_removed(ours: Firestore, target: JsonObject) -> None:
    (removed,) = Listener(ours).add(**target)
    assert removed["targetChange"]["cause"]["code"] == 3


def test_a_request_without_a_target_is_refused(ours: Firestore) -> None:
    with pytest.raises(ApiError, match="must add or remove a target"):
        Listener(ours).send()


def test_a_stream_of_writes(ours: Firestore) -> None:
    writer = Listener(ours, "write")
    opened = writer.send()
    assert opened.keys() == {"streamId", "streamToken"}
    answer = writer.send(
        streamToken=opened["streamToken"], writes=[{"update": {"name": f"{ROOT}/c/new"}}]
    )
    assert len(answer["writeResults"]) == 1
    assert ours.fields("c/new") == {}
