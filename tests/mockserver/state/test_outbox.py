"""Messages to others are recorded, and sent where they stay on this machine."""

from collections.abc import Callable
from typing import Any

import pytest

from mockserver.model import JsonObject
from mockserver.state.outbox import (
    Message,
    is_on_this_machine,
    note_delivery,
    record_message,
)

HERE = "http://127.0.0.1:8000/hook"


class Session:
    """Holds rows, and messages that wait."""

    def __init__(self) -> None:
        self.rows: dict[str, JsonObject] = {}
        self.outbox: tuple[Message, ...] = ()

    def table(self, _name: str) -> dict[str, JsonObject]:
        return self.rows

    def put(self, _name: str, key: str, row: JsonObject) -> None:
        self.rows[key] = row


def recorded(session: Any, headers: Any = None, **told: Any) -> JsonObject:
    record_message(session, "hooks", {"url": HERE, "body": {"a": 1}, **told}, headers)
    found: JsonObject = session.rows[str(len(session.rows))]
    return found


def test_what_is_sent_is_recorded_and_waits() -> None:
    session: Any = Session()
    row = recorded(session, {"x": "y"}, verb="PUT")
    told = {"number": 1, "url": HERE, "body": {"a": 1}, "verb": "PUT", "delivery": "on its way"}
    assert row == told
    assert session.outbox == (Message("hooks", "1", HERE, {"a": 1}, {"x": "y"}, verb="PUT"),)
    record_message(session, "hooks", {"url": HERE, "body": None}, {}, content=b"x")
    assert session.outbox[1] == Message("hooks", "2", HERE, None, {}, verb="POST", content=b"x")


def test_what_is_only_recorded_or_leaves_this_machine_does_not_wait() -> None:
    session: Any = Session()
    assert "delivery" not in recorded(session)
    away = recorded(session, {}, url="http://a.example.com/hook")
    assert away["delivery"] == "not sent: http://a.example.com/hook is not on this machine"
    assert session.outbox == ()


@pytest.mark.parametrize(("before", "sent"), [(999, True), (1000, False)])
def test_a_session_sends_a_thousand_of_a_kind(before: int, *, sent: bool) -> None:
    session: Any = Session()
    session.rows = {str(number): {} for number in range(1, before + 1)}
    row = recorded(session, {})
    assert row["delivery"] == (
        "on its way" if sent else "not sent: a session sends 1000 messages at the most"
    )
    assert len(session.outbox) == sent


def test_what_became_of_a_message_is_noted_with_it_alone() -> None:
    heard: list[tuple[Any, str]] = []

    def message(
        url: str = HERE, key: str = "1", done: Callable[..., None] | None = None
    ) -> Message:
        return Message("hooks", key, url, {}, {}, done)

    session: Any = Session()
    recorded(session, {})
    note_delivery(session, message("http://127.0.0.1/other", done=lambda *a: heard.append(a)), "1")
    note_delivery(session, message(key="2", done=lambda *a: heard.append(a)), "2")
    assert (session.rows["1"]["delivery"], heard) == ("on its way", [])
    note_delivery(session, message(done=lambda *a: heard.append(a)), "200")
    assert (session.rows["1"]["delivery"], heard) == ("200", [(session, "200")])
    note_delivery(session, message(), "no answer")
    assert session.rows["1"]["delivery"] == "no answer"


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://localhost/x", True),
        ("https://127.8.9.1:9/", True),
        ("http://[::1]:80/", True),
        ("ftp://localhost/", False),
        ("localhost:80", False),
        ("http://", False),
        ("http://localhost:x/", False),
        ("http://localhost.example.com/", False),
    ],
)
def test_only_loopback_is_on_this_machine(url: str, *, here: bool) -> None:
    assert is_on_this_machine(url) is here
