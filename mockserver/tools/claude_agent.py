"""Claude Agent SDK: the handlers of tools of SDK MCP servers; arguments are valid by then."""

import json
from functools import wraps
from typing import Any


def wrap(module: Any, calls: Any) -> None:
    """Wrap the handlers of `SdkMcpTool` of `claude_agent_sdk`."""
    kind = module.SdkMcpTool
    init = kind.__init__

    @wraps(init)
    def init_tool(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        original = self.handler

        @wraps(original)
        async def handler(arguments: dict[str, Any]) -> Any:
            told = await calls.call_async(self.name, arguments, lambda: original(arguments))
            return _content(told)

        self.handler = handler

    kind.__init__ = init_tool


def _content(value: Any) -> Any:
    """A result as handlers return it: blocks of content."""
    if isinstance(value, dict) and isinstance(value.get("content"), list):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return {"content": [{"type": "text", "text": text}]}
