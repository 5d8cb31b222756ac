"""Tools inside an agent, answered by its session: `import mockserver.tools` in the agent's program.

Frameworks that are installed are found when they are imported, before or after this module, and the
place where each calls a function tool is wrapped: its own validation comes before, its own errors
and conversions after. The agent stays as it is. Nothing is wrapped where no session says that it
answers tools, by the variable `UNDERSTUDY_TOOLS`; so the line may stay in production.

For each call the session is asked: it answers, refuses, or lets the tool run, and then is told what
came of it. A tool that runs though no case names it is watched: files that it writes outside of the
working folder, connections and programs are told as escapes.

This module and its adapters use the standard library alone, so that they can be loaded by their
paths in the interpreter of an agent that has nothing of this project installed.
"""

import asyncio
import contextlib
import contextvars
import dataclasses
import enum
import functools
import http.client
import importlib.util
import inspect
import json
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import quote, urlsplit

VARIABLE = "UNDERSTUDY_TOOLS"
"""The address of a session's tools."""

ADAPTERS: Mapping[str, str] = {
    "pydantic_ai.toolsets.function": "pydantic_ai",
    "langchain_core.tools.base": "langchain",
    "agents.tool": "openai_agents",
    "google.adk.tools.function_tool": "adk",
    "crewai.tools.base_tool": "crewai",
    "smolagents.tools": "smolagents",
    "claude_agent_sdk": "claude_agent",
    "strands.tools.decorator": "strands",
    "autogen_core.tools._function_tool": "autogen",
    "agent_framework._tools": "agent_framework",
}
"""The module that defines how a framework calls tools, to the adapter that wraps it."""

_TIMEOUT_S = 600.0
_OK = 200


Send = Callable[[str, str, Any], tuple[int, Any]]

_own_addresses: set[tuple[str, int]] = set()
"""Hosts and ports of the session: what goes there is no escape."""


class ToolError(Exception):
    """A tool failed in the way that its session says."""


class _Real:
    """The session lets a tool run; whether it says so by name."""

    def __init__(self, number: int, *, named: bool) -> None:
        self.number = number
        self.named = named


_running: contextvars.ContextVar["tuple[str, list[str] | None]"] = contextvars.ContextVar(
    "understudy_tool", default=("", None)
)
"""The tool that runs for real, and where its escapes are noted."""


IsHidden = Callable[[str, Any], bool]


def _hides_nothing(_name: str, _value: Any) -> bool:
    return False


class Calls:
    """Leads the calls of tools to a session.

    Args:
        send: Sends a body to the session's tool of a name: the status, and the body as JSON.
    """

    def __init__(self, send: Send) -> None:
        self._send = send

    def call(self, name: str, arguments: Mapping[str, Any], run: Callable[[], Any]) -> Any:
        """Answer a call of a tool.

        Args:
            name: The tool's name.
            arguments: What the framework has found valid.
            run: Calls the tool itself.

        Raises:
            Exception: What the tool raised, now or when it was recorded.
        """
        if _running.get()[0] == name:  # its framework comes here twice
            return run()
        plain = plain_value(arguments)
        asked = self._ask(name, plain)
        if not isinstance(asked, _Real):
            return asked
        with _watched(name, asked) as escapes:
            try:
                value = run()
            except Exception as error:
                self._tell(name, plain, asked, escapes, error=error)
                raise
        return self._tell(name, plain, asked, escapes, value=value)

    async def call_async(
        self, name: str, arguments: Mapping[str, Any], run: Callable[[], Awaitable[Any]]
    ) -> Any:
        """Answer a call of a tool that is awaited; see `call`."""
        if _running.get()[0] == name:
            return await run()
        plain = plain_value(arguments)
        asked = await asyncio.to_thread(self._ask, name, plain)
        if not isinstance(asked, _Real):
            return asked
        with _watched(name, asked) as escapes:
            try:
                value = await run()
            except Exception as error:
                await asyncio.to_thread(self._tell, name, plain, asked, escapes, error=error)
                raise
        return await asyncio.to_thread(self._tell, name, plain, asked, escapes, value=value)

    def lead(self, name: str, function: Any, is_hidden: IsHidden = _hides_nothing) -> Any:
        """A function of a tool that asks the session first; it looks as it did.

        Args:
            name: The tool's name.
            function: The function; one that yields is left as it is.
            is_hidden: Whether a parameter and its value are the framework's own.
        """
        if inspect.isasyncgenfunction(function) or inspect.isgeneratorfunction(function):
            return function

        def arguments_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
            bound = inspect.signature(function).bind(*args, **kwargs)
            given: dict[str, Any] = {}
            for each, value in bound.arguments.items():
                is_rest = bound.signature.parameters[each].kind is inspect.Parameter.VAR_KEYWORD
                given |= value if is_rest else {each: value}
            return {each: value for each, value in given.items() if not is_hidden(each, value)}

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def led_async(*args: Any, **kwargs: Any) -> Any:
                return await self.call_async(
                    name, arguments_of(args, kwargs), lambda: function(*args, **kwargs)
                )

            return led_async

        @functools.wraps(function)
        def led(*args: Any, **kwargs: Any) -> Any:
            return self.call(name, arguments_of(args, kwargs), lambda: function(*args, **kwargs))

        return led

    def _ask(self, name: str, arguments: Any) -> Any:
        """What the session answers a call with, or `_Real`.

        Raises:
            Exception: It answers with an error.
        """
        status, told = self._send("POST", name, arguments)
        if status == _OK and isinstance(told, dict):
            if "real" in told:
                return _Real(told["real"], named=bool(told.get("named")))
            return told.get("result")
        raise _error_of(told)

    def _tell(
        self,
        name: str,
        arguments: Any,
        asked: _Real,
        escapes: list[str],
        *,
        value: Any = None,
        error: Exception | None = None,
    ) -> Any:
        """Tell the session what came of a call; what the agent is to see of it."""
        told: dict[str, Any] = {"call": asked.number, "arguments": arguments, "escapes": escapes}
        if error is not None:
            kind = type(error)
            where = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
            told["error"] = {"type": f"{where}{kind.__qualname__}", "message": str(error)}
            self._send("PUT", name, told)
            return None
        plain = told["result"] = plain_value(value)
        status, answered = self._send("PUT", name, told)
        if status == _OK and isinstance(answered, dict) and answered.get("result") != plain:
            return answered.get("result")
        return value


def http_sender(url: str) -> Send:
    """Sends the calls of tools to where a session's tools are."""
    parts = urlsplit(url)
    host, port, path = parts.hostname or "", parts.port or 80, parts.path.rstrip("/")
    _own_addresses.add((host, port))

    def send(verb: str, name: str, body: Any) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(host, port, timeout=_TIMEOUT_S)
        headers = {"Content-Type": "application/json", "X-Mock-Tool": "1"}
        try:
            target = f"{path}/{quote(name, safe='')}"
            connection.request(verb, target, json.dumps(body).encode(), headers)
            answered = connection.getresponse()
            return answered.status, json.loads(answered.read() or b"null")
        except (OSError, ValueError, http.client.HTTPException) as error:
            text = f"the session that answers the tool {name!r} is gone: {error}"
            raise ToolError(text) from error
        finally:
            connection.close()

    return send


def _error_of(told: Any) -> Exception:
    """The exception that a session's error stands for: the tool's own class where that is here."""
    error = told.get("error") if isinstance(told, dict) else None
    message = str(error.get("message", "")) if isinstance(error, dict) else str(told)
    kind, colon, text = message.partition(": ")
    module, _, name = kind.rpartition(".")
    found = getattr(sys.modules.get(module or "builtins"), name, None) if colon else None
    if isinstance(found, type) and issubclass(found, Exception):
        with contextlib.suppress(TypeError):
            return found(text)
    return ToolError(message)


def plain_value(value: Any) -> Any:
    """A value as JSON has it: models and data classes as objects, what is foreign as its text."""
    if isinstance(value, enum.Enum):
        return plain_value(value.value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain_value(item) for item in value]
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: plain_value(getattr(value, field.name))
            for field in dataclasses.fields(value)
        }
    return str(value)


_WRITING = ("w", "a", "x", "+")
_STARTS = {
    "subprocess.Popen": "starts",
    "os.system": "starts",
    "os.posix_spawn": "starts",
    "sqlite3.connect": "opens the database",
}
_CHANGES = {
    "os.remove": "removes",
    "os.rename": "renames",
    "os.mkdir": "makes",
    "os.rmdir": "removes",
}


@contextlib.contextmanager
def _watched(name: str, asked: _Real) -> Iterator[list[str]]:
    """While a tool runs that nobody names, note what it does outside of the working folder.

    Yields:
        What it did, one phrase each; filled in as it happens.
    """
    escapes: list[str] = []
    if not asked.named:
        _watch_process()
    token = _running.set((name, None if asked.named else escapes))
    try:
        yield escapes
    finally:
        _running.reset(token)


def _note_event(event: str, arguments: tuple[Any, ...]) -> None:
    escapes = _running.get()[1]
    if escapes is None:
        return
    told = _escape(event, arguments)
    if told and told not in escapes:
        escapes.append(told)


def _escape(event: str, arguments: tuple[Any, ...]) -> str:
    """What an event of the interpreter does outside of the working folder; empty for nothing."""
    if event == "socket.connect":
        address = arguments[1]
        if isinstance(address, tuple) and address[:2] in _session_addresses():
            return ""
        shown = ":".join(map(str, address[:2])) if isinstance(address, tuple) else str(address)
        return f"connects to {shown}"
    if event == "open":
        path, mode, flags = arguments
        writes = any(letter in mode for letter in _WRITING) if mode else flags & _WRITE_FLAGS
        return f"writes {path}" if writes and _is_outside(path) else ""
    if event == "sqlite3.connect" and arguments[0] == ":memory:":
        return ""
    if event in _STARTS:
        return f"{_STARTS[event]} {arguments[0]}"
    if event in _CHANGES and _is_outside(arguments[0]):
        return f"{_CHANGES[event]} {arguments[0]}"
    return ""


_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def _is_outside(path: Any) -> bool:
    if not isinstance(path, (str, bytes, os.PathLike)):
        return False
    place = os.path.realpath(os.fsdecode(path))
    inside = os.environ.get("WORKSPACE") or os.getcwd()  # noqa: PTH109  (no pathlib in a hook)
    return place != os.devnull and not f"{place}/".startswith(f"{os.path.realpath(inside)}/")


def _session_addresses() -> set[tuple[str, int]]:
    """Where the session is, and its proxy."""
    proxy = urlsplit(os.environ.get("HTTPS_PROXY") or "http://127.0.0.1:0")
    return {*_own_addresses, (proxy.hostname or "", proxy.port or 0)}


_hooks: list[Callable[..., None]] = []
_lock = threading.Lock()


def _watch_process() -> None:
    with _lock:
        if not _hooks:
            _hooks.append(_note_event)
            sys.addaudithook(_note_event)


def adapter_of(module: str) -> Any:
    """The adapter that wraps a module of a framework, loaded by its path."""
    name = ADAPTERS[module]
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"understudy_tools_{name}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"no adapter at {path}")
    adapter = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(adapter)
    return adapter


class _AfterImport:
    """Wraps modules of frameworks once they are imported."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._looking: set[str] = set()

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> Any:
        """The module's own spec, with a loader that wraps what it has loaded."""
        if name not in ADAPTERS or name in self._looking:
            return None
        self._looking.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._looking.discard(name)
        if spec is not None and spec.loader is not None:
            loader: Any = _WrappingLoader(spec.loader, self._calls)
            spec.loader = loader
        return spec


class _WrappingLoader:
    def __init__(self, loader: Any, calls: Calls) -> None:
        self._loader = loader
        self._calls = calls

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        adapter_of(module.__name__).wrap(module, self._calls)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


def install(url: str) -> None:
    """Lead the tools of every framework that is or will be imported to a session."""
    if any(isinstance(each, _AfterImport) for each in sys.meta_path):
        return
    calls = Calls(http_sender(url))
    sys.meta_path.insert(0, _AfterImport(calls))
    for name in ADAPTERS:
        module = sys.modules.get(name)
        if module is not None:
            adapter_of(name).wrap(module, calls)


if os.environ.get(VARIABLE):
    install(os.environ[VARIABLE])
