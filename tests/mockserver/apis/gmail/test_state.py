from collections.abc import Callable
from typing import Any

import pytest

from mockserver.apis.gmail.search import sent_at
from mockserver.apis.gmail.state import find_messages, message_in_format
from mockserver.googleapi import Call
from mockserver.state import World
from tests.mockserver.apis.gmail.conftest import HELLO

Ask = Callable[..., Any]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["Hello", "News"]),
        ("to:ann", ["Hello"]),
        ("-to:ann", ["News"]),
        ("subject:news", ["News"]),
        ('"good morning"', ["Hello"]),
        ("old", ["News"]),
        ("in:sent", ["Hello", "News"]),
        ("label:starred", []),
        ("after:2026/02/01", ["Hello"]),
        ("before:2026/02/01", ["News"]),
        ("after:1772400000", ["Hello"]),
        ("from:admin", ["Hello"]),
    ],
    ids=str,
)
def test_a_search_finds(call: Ask, tenant: World, query: str, found: list[str]) -> None:
    call("messages.send", HELLO)
    rows = find_messages(Call("x", {"q": query}, {}, tenant))
    subjects = [
        each["value"]
        for row in rows
        for each in row["payload"]["headers"]
        if each["name"] == "Subject"
    ]
    assert subjects == found


def test_labels_choose(tenant: World) -> None:
    assert find_messages(Call("x", {"labelIds": ["INBOX"]}, {}, tenant)) == []


def test_formats_show_parts_of_a_message(call: Ask, tenant: World) -> None:
    sent = call("messages.send", HELLO)
    row = tenant.table("sentMessages").rows()[sent["id"]]
    assert message_in_format(row, "raw", ())["raw"] == row["raw"]
    assert "payload" not in message_in_format(row, "minimal", ())
    metadata = message_in_format(row, "metadata", ["subject"])["payload"]
    assert metadata["headers"] == [{"name": "Subject", "value": "Hello"}]
    assert len(message_in_format(row, "metadata", ())["payload"]["headers"]) == 5
    assert "raw" not in message_in_format(row, "full", ())
    assert sent_at(row) == 1772442000000
