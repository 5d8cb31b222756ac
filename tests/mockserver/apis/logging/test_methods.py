from collections.abc import Iterator
from datetime import timedelta
from typing import Any, cast

import pytest

from mockserver.apis.logging import API
from mockserver.apis.logging.methods import HANDLERS, buffer_window_s, tail_entries
from mockserver.googleapi import ApiError, Call
from mockserver.model import JsonObject
from mockserver.state import World
from tests.mockserver.apis.logging.conftest import (
    AUDIT,
    DATA_ACCESS,
    ENTRIES,
    OTHER,
    SHOP,
    listed,
)
from tests.tenants import NOW, ask, refused, world


def test_logs_are_listed_and_deleted_under_every_owner() -> None:
    for owner in ("", "projects.", "folders.", "organizations.", "billingAccounts."):
        assert {f"logging.{owner}logs.list", f"logging.{owner}logs.delete"} <= HANDLERS.keys()
    assert "logging.projects.locations.buckets.views.logs.list" in HANDLERS


LIST, LOGS = "logging.entries.list", "logging.logs.list"


@pytest.mark.parametrize(
    ("order", "ids"),
    [
        ("", "abcdef"),
        ("timestamp asc", "abcdef"),
        ("timestamp", "abcdef"),
        ("timestamp desc", "fedbca"),
    ],
    ids=repr,
)
def test_entries_are_in_order_of_time_and_ties_in_order_of_insert_id(
    shop: World, order: str, ids: str
) -> None:
    assert listed(shop, orderBy=order) == ids


def test_any_other_order_is_refused(shop: World) -> None:
    error = refused(API, shop, LIST, body={"resourceNames": [SHOP], "orderBy": "severity"})
    assert (error.status, error.message) == (
        400,
        "Invalid order 'severity': it must be 'timestamp asc' or 'timestamp desc'.",
    )


@pytest.mark.parametrize("order", ["timestamp asc", "timestamp desc"])
@pytest.mark.parametrize("size", [1, 2, 4, 100])
def test_the_pages_joined_are_the_list(shop: World, order: str, size: int) -> None:
    body = {"resourceNames": [SHOP, OTHER], "orderBy": order, "pageSize": size}
    joined, token = "", ""
    while True:
        answer = ask(API, shop, LIST, body={**body, "pageToken": token})
        joined += "".join(row["insertId"] for row in answer["entries"])
        token = answer.get("nextPageToken", "")
        if not token:
            break
    assert joined == ("abcdefx" if order.endswith("asc") else "xfedbca")


def test_a_token_of_another_query_is_refused_in_the_apis_words(shop: World) -> None:
    body = {"resourceNames": [SHOP], "pageSize": 2}
    token = ask(API, shop, LIST, body=body)["nextPageToken"]
    other = {**body, "filter": "severity=ERROR", "pageToken": token}
    error = refused(API, shop, LIST, body=other)
    assert error.message == "page_token doesn't match arguments from the request"


def test_a_negative_page_size_is_refused(shop: World) -> None:
    assert refused(API, shop, LIST, body={"resourceNames": [SHOP], "pageSize": -1}).status == 400


def test_projects_may_be_named_by_number_and_by_the_old_parameter(shop: World) -> None:
    assert listed(shop, resourceNames=["projects/111"]) == "abcdef"
    assert listed(shop, resourceNames=[], projectIds=["other"]) == "x"
    assert listed(shop, resourceNames=[SHOP, SHOP, OTHER]) == "abcdefx"


def test_an_empty_page_has_no_entries(shop: World) -> None:
    assert ask(API, shop, LIST, body={"resourceNames": ["projects/empty"]}) == {}


def test_a_shifted_session_is_asked_and_answers_in_session_time() -> None:
    made = world(API, clock="shift", captured=NOW - timedelta(days=7), logEntries=ENTRIES)
    body = {"resourceNames": [SHOP], "filter": 'timestamp>="2026-03-09T08:12:00Z"'}
    shown = ask(API, made, LIST, body=body)["entries"]
    assert [row["timestamp"] for row in shown] == [
        "2026-03-09T08:12:00.500Z",
        "2026-03-09T08:20:00.500Z",
    ]
    assert shown[0]["receiveTimestamp"] == shown[0]["timestamp"]
    assert listed(made, 'timestamp:"03-09T08:2"') == "f"
    assert listed(made, 'receiveTimestamp<"2026-03-09T08:05:00.5Z"') == "a"


def test_the_lenient_profile_reads_and_before_or_and_says_so(shop: World) -> None:
    text = "severity=CRITICAL OR severity=ERROR AND textPayload:cart"
    body: JsonObject = {"resourceNames": [SHOP], "filter": text}
    google = ask(API, shop, LIST, body=body)["entries"]
    lenient = ask(API, shop, LIST, body=body, profile="lenient")["entries"]
    assert "".join(row["insertId"] for row in google) == "c"
    assert "".join(row["insertId"] for row in lenient) == "cf"


def test_a_forgiveness_that_changes_nothing_is_not_noted(shop: World) -> None:
    assert listed(shop, "severity=ERROR cart") == "c"


@pytest.mark.parametrize(
    ("view", "ids"),
    [
        ("_Default/views/_AllLogs", "abcef"),
        ("_Default/views/_Default", "abcf"),
        ("_Required/views/_AllLogs", "d"),
    ],
    ids=repr,
)
def test_views_of_the_built_in_buckets_show_their_share(shop: World, view: str, ids: str) -> None:
    assert listed(shop, resourceNames=[f"{SHOP}/locations/global/buckets/{view}"]) == ids


def test_two_views_of_one_project_show_an_entry_once(shop: World) -> None:
    views = [
        f"{SHOP}/locations/global/buckets/_Default/views/{view}"
        for view in ("_AllLogs", "_Default")
    ]
    assert listed(shop, resourceNames=views) == "abcef"


def test_logs_are_listed_by_name_and_paged(shop: World) -> None:
    first = ask(API, shop, LOGS, {"parent": SHOP, "pageSize": 2})
    assert first["logNames"] == [AUDIT, DATA_ACCESS]
    rest = ask(
        API, shop, LOGS, {"parent": SHOP, "pageSize": 2, "pageToken": first["nextPageToken"]}
    )
    assert rest == {"logNames": [f"{SHOP}/logs/stdout"]}
    assert len(ask(API, shop, LOGS, {"parent": "projects/111", "pageSize": -3})["logNames"]) == 3
    assert ask(API, shop, LOGS, {"parent": "projects/empty"}) == {}


def test_logs_of_further_views_are_added(shop: World) -> None:
    views = [f"{OTHER}/locations/global/buckets/_Default/views/_AllLogs"]
    names = ask(API, shop, LOGS, {"parent": "projects/empty", "resourceNames": views})["logNames"]
    assert names == [f"{OTHER}/logs/stdout"]


def test_a_filter_that_cannot_be_read_names_the_place(shop: World) -> None:
    error = refused(API, shop, LIST, body={"resourceNames": [SHOP], "filter": "textPayload:rc="})
    said = "Unparseable filter: syntax error at line 1, column 15, token '='"
    assert (error.status, error.message) == (400, said)


def test_a_query_that_is_too_long_is_refused(shop: World) -> None:
    with pytest.raises(ApiError, match="20,000"):
        listed(shop, "x " * 10_001)


def test_a_forgiveness_is_journalled(shop: World) -> None:
    text = "severity=CRITICAL OR severity=ERROR AND textPayload:cart"
    noted = []
    for asked in (text, "severity=ERROR"):
        body = {"resourceNames": [SHOP], "filter": asked}
        call = Call(LIST, {}, body, shop, profile="lenient")
        API.handlers[LIST](call)
        noted.append(call.ignored)
    assert noted == [["filter (OR binds tighter than AND)"], []]


def tail(shop: World, **body: Any) -> Iterator[JsonObject]:
    return tail_entries(call(shop, **{"resourceNames": [SHOP], **body}))


def call(shop: World, **body: Any) -> Call:
    return Call("logging.entries.tail", {}, body, shop)


def write(shop: World, *texts: str) -> None:
    entry = {"logName": f"{SHOP}/logs/app", "resource": {"type": "global"}}
    entries = [{**entry, "textPayload": text} for text in texts]
    ask(API, shop, "logging.entries.write", body={"entries": entries})


def texts(batch: JsonObject) -> list[str]:
    return [row["textPayload"] for row in batch.get("entries", [])]


def test_a_tail_yields_what_is_written_after_it_began(shop: World) -> None:
    batches = tail(shop, filter='-"noise"')
    assert next(batches) == {}
    write(shop, "one", "noise", "two")
    assert texts(next(batches)) == ["one", "two"]
    write(shop, "noise")
    assert next(batches) == {}
    write(shop, "three")
    assert texts(next(batches)) == ["three"]


def test_the_handler_is_the_same(shop: World) -> None:
    handler = cast("Any", API.handlers["logging.entries.tail"])
    assert next(handler(call(shop, resourceNames=[SHOP]))) == {}


@pytest.mark.parametrize(
    "body",
    [{"filter": "thud=1"}, {"resourceNames": []}, {"bufferWindow": "61s"}, {"bufferWindow": "x"}],
    ids=repr,
)
def test_a_tail_that_cannot_be_is_refused_at_once(shop: World, body: JsonObject) -> None:
    with pytest.raises(ApiError):
        tail(shop, **body)


def test_the_buffer_window_is_two_seconds_when_not_said(shop: World) -> None:
    assert buffer_window_s(call(shop)) == 2
    assert buffer_window_s(call(shop, bufferWindow="0.5s")) == 0.5


DESCRIPTOR_LIST = "logging.monitoredResourceDescriptors.list"


def test_the_types_that_most_logs_come_from_are_built_in(shop: World) -> None:
    found = ask(API, shop, DESCRIPTOR_LIST)["resourceDescriptors"]
    kinds = [row["type"] for row in found]
    assert kinds == sorted(kinds)
    assert {"k8s_container", "cloud_run_revision", "gce_instance"} <= set(kinds)
    (container,) = (row for row in found if row["type"] == "k8s_container")
    assert [label["key"] for label in container["labels"]][-1] == "container_name"


def test_those_of_the_snapshot_stand_for_them_and_have_no_names(shop: World) -> None:
    for kind in ("b", "a"):
        name = f"projects/p/monitoredResourceDescriptors/{kind}"
        shop.put("monitoredResourceDescriptors", name, {"name": name, "type": kind})
    first = ask(API, shop, DESCRIPTOR_LIST, {"pageSize": 1})
    assert first["resourceDescriptors"] == [{"type": "a"}]
    rest = ask(API, shop, DESCRIPTOR_LIST, {"pageSize": 1, "pageToken": first["nextPageToken"]})
    assert rest == {"resourceDescriptors": [{"type": "b"}]}


def test_an_answer_holds_until_entries_or_projects_are_written(
    shop: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: JsonObject = {"resourceNames": ["projects/empty"]}
    assert ask(API, shop, LIST, body=given) == {}
    with monkeypatch.context() as patched:
        patched.setattr("mockserver.apis.logging.methods.find_entries", None)  # nobody looks again
        assert ask(API, shop, LIST, body=given) == {}
    row = {"logName": "projects/empty/logs/new", "insertId": "z", "resource": {"type": "global"}}
    written = {"entries": [row]}
    ask(API, shop, "logging.entries.write", body=written)
    assert [row["insertId"] for row in ask(API, shop, LIST, body=given)["entries"]] == ["z"]
    ask(API, shop, "logging.logs.delete", {"logName": "projects/empty/logs/new"})
    assert ask(API, shop, LIST, body=given) == {}
    shop.delete("projects", "projects/333")
    assert refused(API, shop, LIST, body=given).status == 403
