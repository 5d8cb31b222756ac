"""State behind tools, held against the calls that it was learned of.

What calls of tools seem to tell is served in this process, and every trace is played against it. A
tool that answers otherwise than recorded in most of its traces is left to the recordings; so is a
trace in which anything is answered otherwise.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import orjson

from mockserver.declared.openapi.drafts import declaration_text
from mockserver.declared.openapi.learned_tools import ToolState, learned_tools
from mockserver.declared.openapi.tool_kinds import ToolUse
from mockserver.errors import MockServerError
from mockserver.messages.mcp_calls import called_tool, is_mcp, mcp_call, plain_result, reads_by_name
from mockserver.model import Interaction, Json, JsonObject, SessionSpec, shortened
from mockserver.traces.chat_messages import unpacked

_HOST = "http://127.0.0.1"
_MOMENT = "2026-01-01T00:00:00Z"
_ERROR = re.compile(r"error\b", re.IGNORECASE)
"""How texts begin by which tools say that they failed, where nothing else says so."""

_DESCRIBED = ("title", "description", "inputSchema", "outputSchema", "annotations")


class LearnedTools(NamedTuple):
    """Tools that are answered from state, as files of a suite.

    Attributes:
        files: Path below the suite to text: the declared API, and the base with rows and tools.
        overrides: What each trace had otherwise than the base, as an override; often nothing.
        served: The tools that are answered from state in the world of each trace.
        left: Tool to why it is left to its recordings.
        recorded: Why each trace is left to its recordings; empty where it is not.
    """

    files: Mapping[str, str]
    overrides: Sequence[JsonObject]
    served: Sequence[frozenset[str]]
    left: Mapping[str, str]
    recorded: Sequence[str]


def learn_tools(traces: Sequence[Sequence[Interaction]], api: str) -> LearnedTools | None:
    """The state behind the tools of recordings; None where they tell of none.

    Args:
        traces: The recordings of each trace, each in a world of its own.
        api: What the declared API is called.
    """
    uses = [list(_tool_uses(each)) for each in traces]
    definitions = _definitions(traces)
    asked = {name for trace in traces for each in trace if each.request.method == "QUERY"
             if (name := called_tool(each))}  # fmt: skip

    def reads(name: str) -> bool:
        hints = definitions.get(name, {}).get("annotations")
        told = hints.get("readOnlyHint") if isinstance(hints, dict) else None
        return told if isinstance(told, bool) else name in asked or reads_by_name(name)

    left: dict[str, str] = {}
    while True:
        state = learned_tools(uses, reads, api, left)
        if state is None:
            return None
        files = _files(state, definitions)
        try:
            told = asyncio.run(_contradictions(state, files, uses))
        except MockServerError as error:  # a declaration that contradicts itself
            left |= dict.fromkeys(state.tools, f"what its calls tell cannot be served: {error}")
            continue
        worst = _worst(told, uses)
        if not worst:
            break
        left |= worst
    recorded = [f"{each[0]} {each[1]}" if each else "" for each in told]
    if all(recorded):
        return None
    served = [frozenset() if why else frozenset(state.tools) for why in recorded]
    overrides = [{} if why else _override(state, number) for number, why in enumerate(recorded)]
    return LearnedTools(files, overrides, served, {**left, **state.left}, recorded)


def _tool_uses(interactions: Iterable[Interaction]) -> Iterable[ToolUse]:
    """The calls of tools among recordings.

    Yields:
        Each in its order.
    """
    for each in interactions:
        name = called_tool(each)
        if not name:
            continue
        call = mcp_call(each)
        arguments = call.params.get("arguments", {})
        if not isinstance(arguments, dict):
            continue
        failed = call.result is None or call.result.get("isError") is True
        result = unpacked(plain_result(call.result)) if call.result is not None else call.error
        failed = failed or (isinstance(result, str) and _ERROR.match(result) is not None)
        yield ToolUse(name, arguments, result, failed)


def _definitions(traces: Sequence[Sequence[Interaction]]) -> dict[str, JsonObject]:
    """The tools as servers or traces declare them; types that differ from trace to trace go."""
    found: dict[str, JsonObject] = {}
    for call in (mcp_call(each) for trace in traces for each in trace if is_mcp(each)):
        listed = (call.result or {}).get("tools") if call.method == "tools/list" else None
        for tool in listed if isinstance(listed, list) else ():
            if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
                continue
            told = {key: tool[key] for key in _DESCRIBED if tool.get(key) is not None}
            before = found.setdefault(tool["name"], told)
            ours, theirs = _properties(before), _properties(told)
            for name in theirs:
                ours[name] = theirs[name] if ours.get(name, theirs[name]) == theirs[name] else {}
    return found


def _properties(tool: JsonObject) -> dict[str, Json]:
    schema = tool.get("inputSchema")
    held = schema.get("properties") if isinstance(schema, dict) else None
    return held if isinstance(held, dict) else {}


def _files(state: ToolState, definitions: Mapping[str, JsonObject]) -> dict[str, str]:
    api = state.draft.declaration["api"]
    tools = {name: {**definitions.get(name, {}), **tool} for name, tool in state.tools.items()}
    keys: JsonObject = {f"{api}:keys": state.keys} if state.keys else {}
    base: JsonObject = {"tools": tools, api: state.draft.data, **keys}
    text = orjson.dumps(base, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
    return {f"apis/{api}.yaml": declaration_text(state.draft), f"base/{api}.json": text}


def _override(state: ToolState, number: int) -> JsonObject:
    """What the world of a trace has otherwise than the base."""
    api = state.draft.declaration["api"]
    rows, keys = state.worlds[number]
    own = {name: each for name, each in rows.items() if each != state.draft.data.get(name, [])}
    made: JsonObject = {api: own} if own else {}
    other = {name: each for name, each in keys.items() if each != state.keys.get(name)}
    other |= {name: [] for name in state.keys if name not in keys}
    return made | ({f"{api}:keys": other} if other else {})


_Contradiction = tuple[str, str]
"""A tool, and how its answer differs."""


async def _contradictions(
    state: ToolState, files: Mapping[str, str], traces: Sequence[Sequence[ToolUse]]
) -> list[_Contradiction | None]:
    """What each trace is first answered otherwise; None where nothing is."""
    import httpx

    from mockserver.http.application import Application
    from mockserver.settings import Settings
    from mockserver.state import parse_clock_time

    times = {each[name] for each in state.draft.collections.values()
             for name in ("created", "updated") if name in each}  # fmt: skip
    real = parse_clock_time(_MOMENT)
    found: list[_Contradiction | None] = []
    with TemporaryDirectory() as folder:
        write_files(files, Path(folder))
        application = Application(Settings(fixtures=Path(folder)), real=lambda: real)
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(application), base_url=_HOST
        ) as client:
            for number, trace in enumerate(traces):
                layer = _override(state, number)
                id = f"trace-{number}"
                session = application.sessions.open(
                    SessionSpec(id=id, overrides=(layer,) if layer else ())
                )
                headers = {"X-Mock-Session": id, "Authorization": f"Bearer {session.token}"}
                first: _Contradiction | None = None
                for use in trace:
                    if use.name in state.tools and first is None:
                        first = await _contradiction(client, headers, use, times)
                found.append(first)
                application.sessions.close(id)
    return found


async def _contradiction(
    client: object, headers: Mapping[str, str], use: ToolUse, times: set[str]
) -> _Contradiction | None:
    import httpx

    assert isinstance(client, httpx.AsyncClient)  # noqa: S101  (imported above, not at the top)
    answer = await client.post(f"/tools/{use.name}", json=use.arguments, headers=headers)
    if use.failed:
        return None if answer.status_code >= 400 else (use.name, "succeeds where it failed")
    if answer.status_code != 200:
        error = answer.json().get("error", {}) if answer.content else {}
        text = shortened(str(error.get("message", answer.status_code)))
        return use.name, f"fails where it succeeded: {text}"
    given = answer.json()["result"]
    if _agree(use.result, given, times):
        return None
    return use.name, f"answers {_short(given)} rather than {_short(use.result)}"


def _short(value: Json) -> str:
    return shortened(orjson.dumps(value).decode())


def _agree(recorded: Json, given: Json, times: set[str]) -> bool:
    """Whether two results are equal but for times that the session's clock tells."""
    if isinstance(recorded, dict) and isinstance(given, dict):
        return recorded.keys() == given.keys() and all(
            name in times or _agree(value, given[name], times) for name, value in recorded.items()
        )
    if isinstance(recorded, list) and isinstance(given, list):
        return len(recorded) == len(given) and all(
            _agree(ours, theirs, times) for ours, theirs in zip(recorded, given, strict=True)
        )
    return bool(recorded == given)


def _worst(
    told: Sequence[_Contradiction | None], traces: Sequence[Sequence[ToolUse]]
) -> dict[str, str]:
    """The tools that are first to be answered otherwise in most of their traces, and how."""
    first = Counter(each[0] for each in told if each is not None)
    called = Counter(name for trace in traces for name in {use.name for use in trace})
    how = {each[0]: each[1] for each in told if each is not None}
    return {name: f"{how[name]}, in {count} of {called[name]} traces"
            for name, count in first.items() if count * 2 > called[name]}  # fmt: skip


def write_files(files: Mapping[str, str], folder: Path) -> None:
    """Write texts by their paths below a folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
