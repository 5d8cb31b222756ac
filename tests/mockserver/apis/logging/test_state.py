from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.logging import API
from mockserver.apis.logging.query.compiler import Entry
from mockserver.apis.logging.state import entries_of, entry_key, parent_of_log, severity_name
from mockserver.collections import Store
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state import World
from tests.mockserver.apis.logging.conftest import AUDIT, SHOP, listed
from tests.tenants import ask, refused

TIMES = [0, 1, 999_999_999, 10**9, 10**9 + 1, 2 * 10**9]
ENTRIES = st.sets(
    st.tuples(st.sampled_from(TIMES), st.text("abc", min_size=1, max_size=2)), max_size=12
)


def table_of(pairs: Iterable[tuple[int, str]]) -> Store:
    table = Store({}).copy()
    for ns, name in pairs:
        seconds, rest = divmod(ns, 10**9)
        at = f"1970-01-01T00:00:{seconds:02}.{rest:09}Z"
        row = {"logName": "projects/p/logs/x", "timestamp": at, "insertId": name}
        table.put(f"{ns}/{name}", row)
    return table


def pairs_of(entries: Iterable[Entry]) -> list[tuple[int, str]]:
    return [(entry.ns, entry.row["insertId"]) for entry in entries]


@given(ENTRIES, st.sampled_from(TIMES), st.sampled_from(TIMES))
def test_a_span_is_the_same_in_both_directions(
    pairs: set[tuple[int, str]], one: int, other: int
) -> None:
    table, start, end = table_of(pairs), min(one, other), max(one, other)
    forward = pairs_of(entries_of(table, "projects/p", start, end))
    assert forward == sorted(pair for pair in pairs if start <= pair[0] < end)
    backward = pairs_of(entries_of(table, "projects/p", start, end, descending=True))
    assert backward == sorted(forward, key=lambda pair: -pair[0])


def test_many_entries_of_one_moment_stay_in_order() -> None:
    pairs = [(number // 400, f"{number:04}") for number in range(1300)]
    backward = entries_of(table_of(pairs), "projects/p", descending=True)
    assert pairs_of(backward) == sorted(pairs, key=lambda pair: -pair[0])


@given(ENTRIES)
def test_the_widest_span_is_everything(pairs: set[tuple[int, str]]) -> None:
    assert pairs_of(entries_of(table_of(pairs), "projects/p")) == sorted(pairs)


def test_a_key_says_what_makes_two_entries_one() -> None:
    log = "projects/p/logs/a%2Fb"
    assert parent_of_log(log) == "projects/p"
    one = entry_key(log, "1970-01-01T00:00:01Z", "i")
    assert one == entry_key("projects/p/logs/z", "1970-01-01T01:00:01+01:00", "i")


WRITE, DELETE = "logging.entries.write", "logging.logs.delete"
GLOBAL = {"type": "global", "labels": {"project_id": "shop"}}


def written(shop: World, *entries: JsonObject, **body: Any) -> list[JsonObject]:
    defaults = {"logName": f"{SHOP}/logs/app", "resource": GLOBAL}
    ask(API, shop, WRITE, body={**defaults, "entries": list(entries), **body})
    rows = shop.diff().get("logEntries", {}).get("added", {}).values()
    return sorted(rows, key=lambda row: str(row["insertId"]))


def test_defaults_are_copied_into_entries_that_lack_them(shop: World) -> None:
    one, other = written(
        shop,
        {"textPayload": "a", "labels": {"k": "own"}},
        {"textPayload": "b", "logName": f"{SHOP}/logs/a/b", "severity": 500},
        labels={"k": "default", "l": "x"},
    )
    assert (one["logName"], one["labels"]) == (f"{SHOP}/logs/app", {"k": "own", "l": "x"})
    assert (other["logName"], other["labels"]) == (f"{SHOP}/logs/a%2Fb", {"k": "default", "l": "x"})
    assert (one["resource"], other["severity"]) == (GLOBAL, "ERROR")
    assert one["timestamp"] == one["receiveTimestamp"] == "2026-03-02T09:00:00.000Z"


def test_entries_without_ids_keep_their_order(shop: World) -> None:
    for text in "abc":
        written(shop, *({"textPayload": f"{text}{number}"} for number in range(12)))
    found = ask(
        API, shop, "logging.entries.list", body={"resourceNames": [SHOP], "filter": "log_id(app)"}
    )
    assert [row["textPayload"] for row in found["entries"]] == [
        f"{text}{number}" for text in "abc" for number in range(12)
    ]


def test_an_entry_with_the_same_time_and_id_is_one_entry(shop: World) -> None:
    row = {"insertId": "i1", "timestamp": "2026-03-02T08:59:00+00:00", "textPayload": "old"}
    written(shop, row)
    (kept,) = written(shop, {**row, "textPayload": "new"})
    assert (kept["textPayload"], kept["timestamp"]) == ("new", "2026-03-02T08:59:00Z")


@pytest.mark.parametrize("moment", ["2026-01-01T00:00:00Z", "2026-03-04T00:00:00Z"])
def test_entries_out_of_retention_are_accepted_and_not_kept(shop: World, moment: str) -> None:
    assert written(shop, {"textPayload": "a", "timestamp": moment}) == []


def test_a_dry_run_checks_and_keeps_nothing(shop: World) -> None:
    assert written(shop, {"textPayload": "a"}, dryRun=True) == []
    body = {"dryRun": True, "entries": [{"textPayload": "a"}]}
    assert refused(API, shop, WRITE, body=body).status == 400


@pytest.mark.parametrize(
    ("entry", "status", "said"),
    [
        ({"logName": "nowhere"}, 400, "Invalid log name: 'nowhere'."),
        ({"logName": "projects/zzz/logs/x"}, 403, "The caller does not have permission"),
        ({"timestamp": "soon"}, 400, "Invalid timestamp: 'soon'."),
        (
            {"textPayload": "a", "jsonPayload": {}},
            400,
            "A log entry has at most one payload.",
        ),
        ({"resource": None}, 400, "A monitored resource is required."),
    ],
    ids=repr,
)
def test_an_entry_that_cannot_be_is_refused(
    shop: World, entry: JsonObject, status: int, said: str
) -> None:
    good = {"logName": f"{SHOP}/logs/app", "resource": GLOBAL}
    error = refused(API, shop, WRITE, body={"entries": [good, {**good, **entry}]})
    assert (error.status, error.message) == (status, said)


def test_no_entries_are_refused(shop: World) -> None:
    assert refused(API, shop, WRITE, body={"entries": []}).status == 400


def test_a_partial_success_keeps_the_good_ones_and_names_the_others(shop: World) -> None:
    good = {"logName": f"{SHOP}/logs/app", "resource": GLOBAL, "textPayload": "kept"}
    entries = [{**good, "logName": "x"}, good, {**good, "logName": "projects/zzz/logs/x"}]
    with pytest.raises(ApiError, match="Invalid log name") as caught:
        ask(API, shop, WRITE, body={"entries": entries, "partialSuccess": True})
    (details,) = caught.value.details
    assert {key: each["code"] for key, each in details["logEntryErrors"].items()} == {
        "0": 3,
        "2": 7,
    }
    assert len(shop.diff()["logEntries"]["added"]) == 1


def test_a_log_is_deleted_with_all_its_entries(shop: World) -> None:
    assert (
        ask(API, shop, DELETE, {"logName": f"{SHOP}/logs/cloudaudit.googleapis.com/activity"}) == {}
    )
    assert listed(shop) == "abcef"
    error = refused(API, shop, DELETE, {"logName": AUDIT})
    assert error.status == 404
    assert error.miss is not None
    assert error.miss.nearest.endswith("data_access")


def test_a_severity_is_a_name_or_a_number() -> None:
    assert [severity_name(each) for each in ("Warning", 400, 7)] == ["WARNING", "WARNING", "7"]
