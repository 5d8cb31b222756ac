"""Messages of declared APIs, sent to addresses on this machine while the server goes on."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import orjson

from mockserver.declared.calls import WebhookMessage
from mockserver.declared.effects import note_delivery
from mockserver.state import World

if TYPE_CHECKING:
    import httpx

_PATIENCE_S = 10.0
_LONGEST_REASON = 200


class WebhookDeliveries:
    """Sends messages one after the other, in the order in which they came.

    What became of each is recorded where the message is: the status of the answer, or why there is
    none. Redirects are not followed, and nothing is sent again.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[WebhookMessage, World]] = []
        self._task: asyncio.Task[None] | None = None

    def send(self, messages: Sequence[WebhookMessage], world: World) -> None:
        """Send messages, beginning when the caller waits for something.

        Args:
            messages: What is sent.
            world: Where it is recorded.
        """
        if not messages:
            return
        self._waiting += ((message, world) for message in messages)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._deliver())

    async def _deliver(self) -> None:
        import httpx

        async with httpx.AsyncClient(trust_env=False, timeout=_PATIENCE_S) as client:
            while self._waiting:
                message, world = self._waiting.pop(0)
                note_delivery(world, message, await _outcome(client, message))


async def _outcome(client: "httpx.AsyncClient", message: WebhookMessage) -> str:
    import httpx

    headers = {"content-type": "application/json", "user-agent": "mockserver",
               "x-mock-event": message.event.encode("ascii", "replace").decode()}  # fmt: skip
    try:
        content = orjson.dumps(message.body)
        async with client.stream("POST", message.url, content=content, headers=headers) as answer:
            return str(answer.status_code)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return f"failed: {type(error).__name__} {error}".strip()[:_LONGEST_REASON]
