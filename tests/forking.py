"""A suite whose agent asks a model, and that agent, for tests of forks."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
from typing_extensions import override

from harness.agents import AgentDriver, AgentFailedError, Task, Transcript
from harness.model import Reply

FILES = {
    "apis/orders.yaml": "api: orders\nhosts: [api.orders.example.com]\n"
    "collections: {orders: {defaults: {status: open}}}\n",
    "base/orders.json": '{"orders": {"orders": [{"id": "A1", "status": "open"}]}}',
    "cases/orders.yaml": """
cases:
  - id: CANCEL
    input: Cancel order A1 of Ada Lovelace.
    expect:
      text: {contains: [cancelled]}
      server:
        state:
          expect: [{collection: orders.orders, where: {id: A1}, has: {status: cancelled}}]
""",
    "models/agent.yaml": """
replies:
  - {model: "*liar", result: get_order, text: Order A1 is cancelled.}
  - {model: "*broken", result: get_order, error: server_error}
  - {user: Cancel, calls: {get_order: {id: A1}}}
  - {result: get_order, calls: {cancel_order: {id: A1}}}
  - {result: cancel_order, text: "Order A1 is {{ result.status }}."}
""",
}
HOST = "api.orders.example.com"


def write_orders(folder: Path, *, scripted: bool = True) -> Path:
    """The suite; without its model where that is to be live."""
    for name, text in FILES.items():
        if scripted or not name.startswith("models/"):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return folder


class OrderAgent(AgentDriver):
    """Asks a model, and does what that asks for, until it asks for nothing.

    Attributes:
        prompt: Its system prompt.
        before: A request that it makes before it asks its model at all: a path.
    """

    def __init__(self, prompt: str = "You help with orders.", before: str = "") -> None:
        self.prompt = prompt
        self.before = before

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        async with httpx.AsyncClient(trust_env=False) as client:
            orders = f"{task.env['MOCK_SERVER_URL']}/s/{task.session}/{HOST}/orders"
            if self.before:
                await client.get(f"{orders}/{self.before}")
            messages: list[dict[str, Any]] = [
                {"role": "system", "content": self.prompt},
                {"role": "user", "content": task.prompts[0]},
            ]
            for _ in range(6):
                said = await self._ask(client, task.env, messages)
                messages.append(said)
                if not said.get("tool_calls"):
                    transcript.note_reply(
                        Reply(turn=1, prompt=task.prompts[0], text=said["content"])
                    )
                    return
                for call in said["tool_calls"]:
                    messages.append(await self._call(client, orders, call))

    async def _ask(
        self, client: httpx.AsyncClient, env: Mapping[str, str], messages: list[dict[str, Any]]
    ) -> dict[str, Any]:
        answer = await client.post(
            f"{env['OPENAI_BASE_URL']}/chat/completions",
            json={"model": "agent", "messages": messages},
            headers={"authorization": f"Bearer {env['OPENAI_API_KEY']}"},
        )
        if answer.status_code != 200:
            raise AgentFailedError(f"the model answered {answer.status_code}")
        found: dict[str, Any] = answer.json()["choices"][0]["message"]
        return found

    async def _call(
        self, client: httpx.AsyncClient, orders: str, call: dict[str, Any]
    ) -> dict[str, Any]:
        url = f"{orders}/{json.loads(call['function']['arguments'])['id']}"
        if call["function"]["name"] == "get_order":
            answer = await client.get(url)
        else:
            answer = await client.patch(url, json={"status": "cancelled"})
        return {"role": "tool", "tool_call_id": call["id"], "content": answer.text}

    @override
    async def close(self) -> None:
        return
