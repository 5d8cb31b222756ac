"""Agents of the Claude Agent SDK: `ClaudeAgentOptions`, or a function that makes them.

The SDK drives the `claude` program, one for each trial. Where a session leads it to a model, it has
a configuration of its own, so that nobody's settings and sign-ins play a part.
"""

import asyncio
import json
import os
import re
import shutil
import tempfile
from typing import Any

PACKAGE = "claude-agent-sdk"
MODULES = ("claude_agent_sdk",)
WANTED = "options of the Claude Agent SDK (ClaudeAgentOptions)"

_END_WITHIN_S = 20.0
_SERVER = re.compile(r"mcp__.+?__")
"""What stands before the name of a tool of an MCP server."""


def recognises(value: Any) -> bool:
    """Whether a value is the options of an agent."""
    from claude_agent_sdk import ClaudeAgentOptions

    return isinstance(value, ClaudeAgentOptions)


def connect(agent: Any) -> Any:
    """The function that hands messages to an agent."""
    return _Conversation(agent)


class _Conversation:
    """A client in a task of its own: it must end where it began, and each turn is another task."""

    def __init__(self, options: Any) -> None:
        self._options = options
        self._turns: asyncio.Queue[Any] | None = None
        self._client: asyncio.Task[None] | None = None
        self._config = ""
        self._cost = 0.0

    async def __call__(
        self, messages: list[dict[str, str]], _environment: dict[str, str]
    ) -> dict[str, Any]:
        if self._client is None or self._turns is None:
            self._lead_away_from_home()
            self._turns = asyncio.Queue()
            self._client = asyncio.create_task(self._serve(self._turns))
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        await self._turns.put((messages[-1]["content"], answer))
        await asyncio.wait((answer, self._client), return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            await self._client  # it says why it ended
        return await answer

    async def aclose(self) -> None:
        """End the program."""
        if self._client is not None and self._turns is not None:
            await self._turns.put(None)
            if not (await asyncio.wait((self._client,), timeout=_END_WITHIN_S))[0]:
                self._client.cancel()
        if self._config:
            shutil.rmtree(self._config, ignore_errors=True)

    def _lead_away_from_home(self) -> None:
        if os.environ.get("ANTHROPIC_BASE_URL") and "CLAUDE_CONFIG_DIR" not in os.environ:
            self._config = tempfile.mkdtemp(prefix="claude-")
            os.environ["CLAUDE_CONFIG_DIR"] = self._config
            os.environ.setdefault("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")

    async def _serve(self, turns: "asyncio.Queue[Any]") -> None:
        from claude_agent_sdk import ClaudeSDKClient

        async with ClaudeSDKClient(self._options) as client:
            while (turn := await turns.get()) is not None:
                prompt, answer = turn
                try:
                    answer.set_result(await self._ask(client, prompt))
                except Exception as error:  # noqa: BLE001  (handed over to the turn)
                    answer.set_exception(error)

    async def _ask(self, client: Any, prompt: str) -> dict[str, Any]:
        seen: list[Any] = []
        try:
            await client.query(prompt)
            async for message in client.receive_response():
                seen.append(message)
            return self._reply(seen)
        except Exception as error:
            error.understudy_partial = _report(seen)  # type: ignore[attr-defined]
            raise

    def _reply(self, seen: list[Any]) -> dict[str, Any]:
        end = seen[-1] if seen and type(seen[-1]).__name__ == "ResultMessage" else None
        if end is None:
            raise RuntimeError("it ended without a result")
        if end.is_error:
            said = end.result or "; ".join(getattr(end, "errors", None) or ())
            raise RuntimeError(f"{end.subtype}: {said}" if said else end.subtype)
        reply = _report(seen) | {"text": end.result or "", "finish": end.stop_reason or ""}
        used = end.usage or {}
        cost = end.total_cost_usd or 0.0
        reply["usage"] = {
            "input_tokens": sum(int(used.get(name) or 0) for name in _INPUT_TOKENS),
            "output_tokens": int(used.get("output_tokens") or 0),
            "cost_usd": max(cost - self._cost, 0.0),
        }
        self._cost = cost
        value = getattr(end, "structured_output", None)
        return reply | {"metadata": value} if isinstance(value, dict) else reply


_INPUT_TOKENS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def _report(seen: list[Any]) -> dict[str, Any]:
    """What the messages of a turn tell of model calls and tools."""
    calls: dict[str, dict[str, Any]] = {}
    rounds: list[str] = []
    text = ""
    for message in seen:
        blocks = getattr(message, "content", None)
        if not isinstance(blocks, list):
            continue
        if type(message).__name__ == "AssistantMessage":
            round_id = getattr(message, "message_id", None) or str(len(rounds))
            if round_id not in rounds:
                rounds.append(round_id)
        for block in blocks:
            if type(block).__name__ == "ToolUseBlock":
                calls[block.id] = {
                    "id": block.id,
                    "name": _SERVER.sub("", block.name, count=1),
                    "args": block.input,
                    "step": max(len(rounds) - 1, 0),
                    "status": "unknown",
                }
            elif type(block).__name__ == "ToolResultBlock" and block.tool_use_id in calls:
                status = "error" if block.is_error else "ok"
                calls[block.tool_use_id] |= {"status": status, "result": _content(block.content)}
            elif type(block).__name__ == "TextBlock":
                text = block.text
    return {"text": text, "toolCalls": list(calls.values()), "rounds": len(rounds)}


def _content(content: Any) -> Any:
    if isinstance(content, list):
        texts = [part.get("text", "") for part in content if isinstance(part, dict)]
        content = "\n".join(texts) if len(texts) == len(content) else content
    if isinstance(content, str) and content.lstrip()[:1] in {"{", "["}:
        try:
            return json.loads(content)
        except ValueError:
            return content
    return content
