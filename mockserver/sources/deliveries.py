"""Messages of sessions, sent to addresses on this machine while the server goes on."""

import asyncio
from typing import TYPE_CHECKING

import orjson

from mockserver.sessions.scheduling import WORKER
from mockserver.state import Message, World, note_delivery

if TYPE_CHECKING:
    import httpx

_PATIENCE_S = 10.0
_LONGEST_REASON = 200


class Deliveries:
    """Sends messages one after the other, in the order in which they came.

    What became of each is recorded where the message is: the status of the answer, or why there is
    none. Redirects are not followed, and nothing is sent again.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[Message, World]] = []
        self._task: asyncio.Task[None] | None = None

    def send(self, world: World) -> None:
        """Send what is in the outbox of a session, once the event loop has time for it."""
        self._waiting += ((message, world) for message in world.outbox)
        world.outbox = ()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # the thread of long requests, or no server at all
            if WORKER.loop is not None:
                WORKER.loop.call_soon_threadsafe(self._begin, WORKER.loop)
        else:
            self._begin(loop)

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._deliver())

    async def _deliver(self) -> None:
        import httpx

        async with httpx.AsyncClient(trust_env=False, timeout=_PATIENCE_S) as client:
            while self._waiting:
                message, world = self._waiting.pop(0)
                note_delivery(world, message, await _outcome(client, message))
                self.send(world)  # what comes of it


async def _outcome(client: "httpx.AsyncClient", message: Message) -> str:
    import httpx

    headers = {"content-type": "application/json", "user-agent": "mockserver", **message.headers}
    try:
        content = b"" if message.body is None else message.content
        content = orjson.dumps(message.body) if content is None else content
        sent = client.stream(message.verb, message.url, content=content, headers=headers)
        async with sent as answer:
            return str(answer.status_code)
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:  # headers are of others
        return f"failed: {type(error).__name__} {error}".strip()[:_LONGEST_REASON]
