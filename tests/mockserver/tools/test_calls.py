"""Calls of tools inside an agent, led to a session that a function plays."""

import asyncio
import dataclasses
import enum
import json
import socket
import sqlite3
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mockserver.tools import Calls, ToolError, calls, plain_value


class Session:
    """Answers with what it is told to, and keeps what it was sent."""

    def __init__(self, asked: Any, *, status: int = 200, ran: Any = None) -> None:
        self.asked, self.status, self.ran = asked, status, ran
        self.sent: list[tuple[str, str, Any]] = []

    def __call__(self, verb: str, name: str, body: Any) -> tuple[int, Any]:
        self.sent.append((verb, name, json.loads(json.dumps(body))))
        if verb == "POST":
            return self.status, self.asked
        return 200, self.ran if self.ran is not None else {"result": body.get("result")}


def both(session: Session, run: Callable[[], Any], **arguments: Any) -> list[Any]:
    """What a call answers, and an awaited one."""
    made = Calls(session)

    async def run_async() -> Any:
        return run()

    found = asyncio.run(made.call_async("pay", arguments, run_async))
    return [made.call("pay", arguments, run), found]


def never() -> Any:
    raise AssertionError("the tool runs")


def test_a_session_answers_in_place_of_the_tool() -> None:
    session = Session({"result": {"paid": 1}})
    assert both(session, never, cents=1) == [{"paid": 1}] * 2
    assert session.sent == [("POST", "pay", {"cents": 1})] * 2


@pytest.mark.parametrize(
    ("message", "kind", "text"),
    [
        ("ValueError: no order", ValueError, "no order"),
        ("sqlite3.OperationalError: no such table", sqlite3.OperationalError, "no such table"),
        ("SystemExit: 3", ToolError, "SystemExit: 3"),
        ("json.JSONDecodeError: x", ToolError, "json.JSONDecodeError: x"),
        ("nowhere.Error: x", ToolError, "nowhere.Error: x"),
        ("it is busy", ToolError, "it is busy"),
    ],
)
def test_an_error_is_raised_as_the_tool_raised_it(
    message: str, kind: type[Exception], text: str
) -> None:
    session = Session({"error": {"message": message}}, status=500)
    for asked in (Calls(session), Calls(Session(message, status=500))):
        with pytest.raises(kind) as raised:
            asked.call("pay", {}, never)
        assert (type(raised.value), str(raised.value)) == (kind, text)


def test_a_tool_runs_where_the_session_lets_it_and_the_session_is_told() -> None:
    session = Session({"real": 1, "named": True})
    value = {"paid": (1, 2)}
    assert all(found is value for found in both(session, lambda: value) if found != value)
    assert session.sent[1] == ("PUT", "pay", {"call": 1, "arguments": {}, "escapes": [], "result": {"paid": [1, 2]}})  # fmt: skip  # noqa: E501
    assert both(Session({"real": 1}, ran={"result": "cut"}), lambda: value) == ["cut"] * 2


def test_what_a_tool_raises_is_told_and_raised() -> None:
    session = Session({"real": 1})

    def fail() -> Any:
        raise sqlite3.OperationalError("locked")

    with pytest.raises(sqlite3.OperationalError):
        both(session, fail)
    with pytest.raises(sqlite3.OperationalError):
        Calls(session).call("pay", {}, fail)
    told = {"type": "sqlite3.OperationalError", "message": "locked"}
    assert [each[2]["error"] for each in session.sent if each[0] == "PUT"] == [told] * 2


def test_a_framework_that_comes_twice_for_one_call_asks_once() -> None:
    session = Session({"real": 1})
    made = Calls(session)
    assert made.call("pay", {}, lambda: made.call("pay", {}, lambda: 3)) == 3

    async def inner() -> Any:
        return await made.call_async("pay", {}, three)

    async def three() -> Any:
        return 3

    assert asyncio.run(made.call_async("pay", {}, inner)) == 3
    assert len(session.sent) == 4


def test_what_a_tool_does_outside_of_the_workspace_is_an_escape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, outside = tmp_path / "work", tmp_path / "elsewhere"
    for each in (inside, outside):
        each.mkdir()
    monkeypatch.setenv("WORKSPACE", str(inside))
    monkeypatch.setenv("HTTPS_PROXY", "http://s:x@127.0.0.1:8099")
    (outside / "read.txt").write_text("x")

    def act() -> None:
        (inside / "note.txt").write_text("x")
        (outside / "read.txt").read_text()
        (outside / "new.txt").write_text("x")
        Path(outside / "new.txt").rename(outside / "old.txt")
        sqlite3.connect(":memory:").close()
        sqlite3.connect(outside / "shop.db").close()
        for port in (8099, 8098):
            with socket.socket() as client, suppress(OSError):
                client.connect(("127.0.0.1", port))

    found = {}
    for named in (False, True):
        session = Session({"real": 1, "named": named})
        Calls(session).call("pay", {}, act)
        found[named] = session.sent[1][2]["escapes"]
    act()  # nobody's tool
    assert found == {
        True: [],
        False: [
            f"writes {outside}/new.txt",
            f"renames {outside}/new.txt",
            f"opens the database {outside}/shop.db",
            "connects to 127.0.0.1:8098",
        ],
    }


def test_values_of_python_are_told_as_json_has_them() -> None:
    @dataclasses.dataclass
    class Order:
        id: str
        tags: set[int]

    class Size(enum.Enum):
        LARGE = "L"

    class Model:
        def model_dump(self, mode: str) -> Any:
            return {"mode": mode}

    given = {1: Order("a", {1}), "size": Size.LARGE, "model": Model(), "path": Path("x"), "n": None}
    assert plain_value(given) == {
        "1": {"id": "a", "tags": [1]}, "size": "L", "model": {"mode": "json"}, "path": "x",
        "n": None,
    }  # fmt: skip


def test_a_session_that_is_gone_is_told() -> None:
    send = calls.http_sender("http://127.0.0.1:9/s/x/tools")
    with pytest.raises(ToolError, match="the session that answers the tool 'pay' is gone"):
        Calls(send).call("pay", {}, never)


@pytest.mark.parametrize("before", [True, False], ids=["imported before", "imported after"])
def test_a_framework_is_found_whenever_it_is_imported(
    before: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "small_framework.py").write_text("value = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.delitem(sys.modules, "small_framework", raising=False)
    wrapped: list[ModuleType] = []

    class Adapter:
        @staticmethod
        def wrap(module: ModuleType, _calls: Calls) -> None:
            wrapped.append(module)

    monkeypatch.setattr(calls, "ADAPTERS", {"small_framework": "none", "no_such_module": "none"})
    monkeypatch.setattr(calls, "adapter_of", lambda _name: Adapter)
    if before:
        __import__("small_framework")
    calls.install("http://127.0.0.1:9")
    calls.install("http://127.0.0.1:9")
    module = __import__("small_framework")
    assert wrapped == [module]
    with pytest.raises(ImportError):
        __import__("no_such_module")


@pytest.mark.parametrize("module", calls.ADAPTERS)
def test_every_adapter_is_there(module: str) -> None:
    assert callable(calls.adapter_of(module).wrap)
