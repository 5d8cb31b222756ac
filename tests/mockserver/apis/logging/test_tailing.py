from collections.abc import Iterator
from typing import Any, cast

import pytest

from mockserver.apis.logging import API
from mockserver.apis.logging.methods import buffer_window_s, tail_entries
from mockserver.googleapi import ApiError, Call
from mockserver.model import JsonObject
from mockserver.state import World
from tests.mockserver.apis.logging.conftest import SHOP
from tests.tenants import ask


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
