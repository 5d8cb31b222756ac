from mockserver.apis.gmail.snapshot import import_snapshot
from mockserver.googleapi import Import
from mockserver.model import Json


def test_messages_are_sent_when_their_date_says() -> None:
    rows: Json = [{"id": "a", "internalDate": "1767225600000"}, {"id": "b"}]
    found = Import(raw={"sentMessages": rows})
    import_snapshot(found)
    table = found.tables["sentMessages"]
    assert table["a"]["sentTime"] == "2026-01-01T00:00:00.000Z"
    assert (table["b"]["threadId"], table["b"]["labelIds"]) == ("b", ["SENT"])


def test_ids_must_be_there_and_differ() -> None:
    found = Import(raw={"sentMessages": [{"id": "a"}, {"id": "a"}, {}]})
    import_snapshot(found)
    assert [problem.where for problem in found.problems] == [
        "/sentMessages/1/id", "/sentMessages/2/id",
    ]  # fmt: skip
