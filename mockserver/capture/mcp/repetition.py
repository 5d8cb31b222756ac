"""Asks a live MCP server what a cassette has recorded of it, to compare the two."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import orjson

from mockserver.capture.mcp.live import LiveServer, McpTarget, connect
from mockserver.capture.setup import capture_redactor
from mockserver.messages.mcp_calls import (
    GREETINGS,
    McpCall,
    is_mcp,
    mcp_call,
    mcp_interaction,
    mcp_verb,
)
from mockserver.model import Interaction
from mockserver.redaction import InteractionSanitizer, generalise_pseudonyms

_CALL = "tools/call"
_SERVER = "live"


@dataclass
class Repetition:
    """What was asked once more.

    Attributes:
        recorded: The recordings of it, and of all lists.
        answered: What the live server answers now, redacted.
        skipped: Calls that were not made, one line each.
    """

    recorded: list[Interaction] = field(default_factory=list)
    answered: list[Interaction] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


async def repeat_recorded(
    target: McpTarget, interactions: Iterable[Interaction], *, calls_tools: bool
) -> Repetition:
    """Ask a live server for its lists, and everything that is recorded and only reads.

    Nothing is written. Calls whose arguments hold pseudonyms are not made: they mean nothing to
    the live server.

    Args:
        target: The live server.
        interactions: Recordings.
        calls_tools: Whether tools are called, too, that may change something.

    Raises:
        CaptureError: The server cannot be asked.
    """
    made = Repetition()
    redact = InteractionSanitizer(capture_redactor(None)).sanitize
    async with connect(target) as server:
        known = tuple(filter(is_mcp, interactions))
        kinds = {each.method_id for each in known}
        async for finished in server.list_everything():
            live = redact(_interaction(finished.call))
            if live.method_id in kinds:
                made.answered.append(live)
        done: dict[bytes, Interaction] = {}
        for interaction in known:
            call = _call_of(interaction)
            if call is None:
                continue
            if call.method in GREETINGS or call.method.endswith("/list"):
                made.recorded.append(interaction)
                continue
            why = _reason_to_skip(server, interaction, call, calls_tools=calls_tools)
            if why:
                made.skipped.append(f"{_name(call)}: not asked: {why}")
                continue
            made.recorded.append(interaction)
            asked = orjson.dumps([call.method, call.params], option=orjson.OPT_SORT_KEYS)
            if asked not in done:
                finished = await server.ask(call.method, call.params)
                done[asked] = redact(_interaction(finished.call))
            made.answered.append(done[asked])
    made.skipped = list(dict.fromkeys(made.skipped))
    return made


def _reason_to_skip(
    server: LiveServer, interaction: Interaction, call: McpCall, *, calls_tools: bool
) -> str:
    """Why a call is not made once more; empty where it is."""
    text = orjson.dumps(call.params).decode()
    if generalise_pseudonyms(text, credentials_only=False) != text:
        return "its arguments hold pseudonyms"
    if call.method != _CALL:
        return ""
    name = call.params.get("name")
    if name not in server.tools:
        return "the live server does not list it"
    reads = interaction.request.method == mcp_verb(reads=True) or name in server.read_only
    return "" if reads or calls_tools else "it may change something (--call-tools)"


def _name(call: McpCall) -> str:
    name = call.params.get("name", call.params.get("uri", ""))
    return f"{call.method} {name}".strip()


def _call_of(interaction: Interaction) -> McpCall | None:
    try:
        return mcp_call(interaction)
    except ValueError:
        return None


def _interaction(call: McpCall) -> Interaction:
    return mcp_interaction(_SERVER, call, reads=True, recorded_at="", duration_ms=0.0)
