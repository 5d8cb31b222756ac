"""What recordings tell of MCP servers: how they call themselves, what they list; pure."""

from collections.abc import Iterable, Iterator

from mockserver.messages import split_url
from mockserver.messages.mcp_calls import GREETINGS, TOOL_CALL, McpCall, is_mcp, mcp_call, mcp_verb
from mockserver.model import Interaction, JsonObject

_CAPABILITIES = {
    "tools/list": "tools",
    "tools/call": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resources",
    "resources/read": "resources",
    "prompts/list": "prompts",
    "prompts/get": "prompts",
    "completion/complete": "completions",
}
"""A recorded method to the capability that a server with it has."""


class RecordedMcpServers:
    """The MCP servers that some cassettes have recordings of.

    Attributes:
        names: What stands for their hosts.
        greeting: What the first of them says of itself: `serverInfo`, `instructions` and so on;
            empty where no greeting was recorded.
        tools: Name to the latest definition that was listed.
        has_lists: Whether any list of tools was recorded.
        capabilities: `tools`, `resources`, `prompts`, `completions`, as recordings have them.

    Args:
        interactions: Recordings, of any kind.
    """

    def __init__(self, interactions: Iterable[Interaction]) -> None:
        self.names: tuple[str, ...] = ()
        self.greeting: JsonObject = {}
        self.tools: dict[str, JsonObject] = {}
        self.has_lists = False
        self.capabilities: set[str] = set()
        for interaction in interactions:
            if is_mcp(interaction):
                self._add(interaction)

    def verbs(self, method: str, params: JsonObject) -> tuple[str, ...]:
        """What may stand for the HTTP method: how a tool was known when it was called."""
        if method != TOOL_CALL:
            return (mcp_verb(reads=True),)
        hints = self.tools.get(str(params.get("name")), {}).get("annotations")
        reads = isinstance(hints, dict) and hints.get("readOnlyHint") is True
        return mcp_verb(reads=reads), mcp_verb(reads=not reads)

    def _add(self, interaction: Interaction) -> None:
        name = split_url(interaction.request.url).host.lower()
        if name not in self.names:
            self.names = (*self.names, name)
        call = _call_of(interaction)
        if call is None or call.result is None:
            return
        if call.method in _CAPABILITIES:
            self.capabilities.add(_CAPABILITIES[call.method])
        if call.method in GREETINGS:
            self.capabilities.update(call.result.get("capabilities") or ())
            self.greeting = self.greeting or _server_info(call.result)
        elif call.method == "tools/list":
            self.has_lists = True
            self.tools.update(_named_tools(call.result))


def _call_of(interaction: Interaction) -> McpCall | None:
    """The call of a recording; None where its body is in a file, or is none of MCP."""
    try:
        return mcp_call(interaction)
    except ValueError:
        return None


def _server_info(result: JsonObject) -> JsonObject:
    """What a server says of itself, with a handshake and without one."""
    meta = result.get("_meta")
    info = result.get("serverInfo")
    if info is None and isinstance(meta, dict):
        info = next((meta[key] for key in meta if key.endswith("/serverInfo")), None)
    return {**result, "serverInfo": info if isinstance(info, dict) else {}}


def _named_tools(result: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    listed = result.get("tools")
    for tool in listed if isinstance(listed, list) else ():
        if isinstance(tool, dict) and isinstance(tool.get("name"), str):
            yield tool["name"], tool
