"""Tools inside an agent, answered by its session: `import mockserver.tools` in its program."""

from mockserver.tools.calls import Calls, ToolError, install, plain_value

__all__ = ["Calls", "ToolError", "install", "plain_value"]
