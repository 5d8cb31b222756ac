"""Placeholders of an invented log: one text for the ids of two networks, and of two URL maps."""

import json
import re
from typing import Any

import pytest

from mockserver.messages import read_json
from mockserver.model import Interaction, Json, RecordedRequest
from mockserver.verify.comparison import Answer, compare
from mockserver.verify.placeholders import (
    Placeholders,
    created_name,
    learn_created,
    resource_place,
    translated_request,
)
from mockserver.verify.values import Translation
from tests.recordings import interaction

GLOBAL = "https://compute.googleapis.com/compute/v1/projects/shop/global"
NET = f"{GLOBAL}/networks/100001"
MAP = f"{GLOBAL}/urlMaps/100002"
OPERATION: Json = {"name": "100003"}


def made(collection: str, name: str) -> Interaction:
    return interaction(f"{GLOBAL}/{collection}", OPERATION, verb="POST", body={"name": name})


def test_answers_tell_which_resource_a_placeholder_means() -> None:
    missing: Json = {"error": {"message": "'global/urlMaps/map-2' was not found"}}
    asked = [
        (interaction(NET, {}, status=404), "100001"),
        (made("networks", "100001"), ""),
        (interaction(NET, {"name": "100001"}), "100001"),
        # another one that is called the same is not there yet, and is made
        (interaction(NET, {}, status=404), "1000012"),
        (made("networks", "100001"), ""),
        (interaction(NET, {"name": "100001"}), "1000012"),
        (interaction(NET, OPERATION, verb="DELETE"), "1000012"),
        (interaction(NET, {"name": "100001"}), "100001"),
        # what a client named is named by the answer
        (made("urlMaps", "map-1"), ""),
        (interaction(MAP, {"name": "map-1"}), "map-1"),
        (interaction(MAP, missing, status=404), "map-2"),
        (made("urlMaps", "map-2"), ""),
        (interaction(MAP, {"selfLink": f"{GLOBAL}/urlMaps/map-1"}), "map-1"),
    ]  # fmt: skip
    translation = Translation(placeholders=re.compile(r"10\d{4}"))
    placeholders = Placeholders(translation, [each for each, _ in asked])
    for number, (each, own) in enumerate(asked):
        placeholders.resolve(each)
        if own:
            path = each.request.url.removeprefix(GLOBAL)
            assert translation.path(path).rpartition("/")[2] == own, number


def test_the_name_that_a_request_chooses() -> None:
    reference: Json = {"datasetReference": {"projectId": "p", "datasetId": "d"}}
    for url, body, expected in (
        ("/v1/projects/p/secrets?secretId=s", {}, ("secrets", "s")),
        ("/v2/projects/p/datasets", reference, ("datasets", "d")),
        ("/v1/projects/p/topics", {"name": "projects/p/topics/t"}, ("topics", "t")),
        ("/v1/projects/p/topics/t:publish", {}, ("t", "")),
    ):
        sent = interaction(f"https://x.example.com{url}", verb="POST", body=body).request
        assert created_name(sent) == expected, read_json(sent.body)
    assert created_name(interaction(NET).request) == ("", "")


SHOP = "https://shop.example.com/v1"


def sent(method: str, path: str, body: Any = b"", **headers: str) -> RecordedRequest:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return RecordedRequest(method, f"{SHOP}{path}", pairs, content)


def answer(body: Any, status: int = 200) -> Answer:
    return Answer(status, (), json.dumps(body).encode())


def after(
    recorded: Any, given: Any, *, path: str = "/orders", method: str = "POST", status: int = 200
) -> Translation:
    translation = Translation()
    learn_created(sent(method, path, {}), answer(recorded), answer(given, status), translation)
    return translation


@pytest.mark.parametrize(
    ("recorded", "given", "own"),
    [
        ({"id": "o-7"}, {"id": "o-1"}, "o-1"),
        ({"id": 7}, {"id": 1}, "o-7"),
        ({"order": {"id": "o-7"}}, {"order": {"id": "o-1"}}, "o-1"),
        ({"a": 1, "order": {"id": "o-7"}, "next": {"id": "o-8"}}, {"id": "o-1"}, "o-1"),
        ([{"id": "o-7"}], [{"id": "o-1"}], "o-7"),
        ({"id": None}, {"id": "o-1"}, "o-7"),
        ({}, {"id": "o-1"}, "o-7"),
    ],
)
def test_ids_of_answers_to_creations_stand_for_each_other(
    recorded: Any, given: Any, own: str
) -> None:
    asked = translated_request(sent("GET", "/orders/o-7"), after(recorded, given))
    assert asked.url == f"{SHOP}/orders/{own}"
    assert translated_request(sent("GET", "/lines/o-7"), after(recorded, given)).url == (
        f"{SHOP}/lines/o-7"
    )


@pytest.mark.parametrize(("method", "status"), [("PUT", 200), ("POST", 300), ("POST", 404)])
def test_nothing_is_learned_of_what_created_nothing(method: str, status: int) -> None:
    translation = after({"id": "o-7"}, {"id": "o-1"}, method=method, status=status)
    assert translated_request(sent("GET", "/orders/o-7"), translation).url.endswith("/o-7")


def test_all_of_a_request_is_translated() -> None:
    translation = Translation()
    translation.stand_below("orders", "o-71634581", "o-1")
    recorded, given = {"etag": "abc", "nextPageToken": "t1"}, {"etag": "xyz", "nextPageToken": "t2"}
    compare(answer(recorded), answer(given), translation, "/v1/orders/o-71634581")
    asked = sent(
        "PATCH", "/orders/o-71634581?pageToken=t1&q=a%20b&flag=", {"etag": "abc", "n": 1},
        If_Match='"abc"', X_Other='"abc"',
    )  # fmt: skip
    found = translated_request(asked, translation)
    assert found.url == f"{SHOP}/orders/o-1?pageToken=t2&q=a%20b&flag="
    assert found.headers == (("If-Match", "xyz"), ("X-Other", '"abc"'))
    assert json.loads(found.body) == {"etag": "xyz", "n": 1}
    assert found.method == "PATCH"


@pytest.mark.parametrize(
    ("body", "own"),
    [(b'{"a":  1}', b'{"a":  1}'), (b"see t-7163458", b"see t-7163458"), (b"\xff", b"\xff"),
     (b"", b"")],
)  # fmt: skip
def test_what_nothing_stands_for_stays_as_it_was(body: bytes, own: bytes) -> None:
    asked = sent("POST", "/orders?a=b%2Fc+d", body)
    found = translated_request(asked, Translation())
    assert (found.url, found.body) == (asked.url, own)


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/orders/o-1", "/v1/orders/o-1"),
        ("/orders/o-1:cancel", "/v1/orders/o-1"),
        ("/orders/o-1/getIamPolicy", "/v1/orders/o-1"),
        ("/orders/o-1/setIamPolicy", "/v1/orders/o-1"),
        ("/orders/o-1/iam", "/v1/orders/o-1"),
        ("/orders/o-1/iam:x", "/v1/orders/o-1"),
        ("/orders?x=1", "/v1/orders"),
    ],
)
def test_a_request_is_about_a_resource(path: str, place: str) -> None:
    assert resource_place(f"{SHOP}{path}") == place
