"""Plays the scripts of models for one conversation after the other."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mockserver.errors import MockServerError
from mockserver.model import ERROR_STATUS
from mockserver.models.messages import ModelReply, ModelRequest
from mockserver.models.script import (
    PlacedReply,
    error_message,
    read_scripts,
    render_reply,
    reply_differences,
    reply_fits,
    request_values,
)
from mockserver.state import Base, Clock, Ids, World
from mockserver.storage import MODELS, suite_files
from mockserver.templates import TemplateError, session_values

_EPOCH = datetime.fromtimestamp(0, UTC)


class ScriptedModelError(MockServerError):
    """What a model says in place of a reply: an error of the script, or that no reply fits.

    Attributes:
        status: The HTTP status that a provider would answer with.
        kind: `rate_limit`, `overloaded` and the like; `no_reply` where none fits.
    """

    def __init__(self, message: str, *, status: int, kind: str) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind


class ScriptPlayer:
    """Gives the replies of scripts; templates may speak of the request and of an empty session.

    Args:
        script: A script, or a suite with a folder `models`.
        seed: What ids come from.

    Raises:
        InvalidFilesError: Everything that is wrong in the scripts.
        MockServerError: There are none.
    """

    def __init__(self, script: str | Path, *, seed: int = 0) -> None:
        path = Path(script)
        files = suite_files(path, MODELS) if path.is_dir() else (path,)
        if not files:
            raise MockServerError(f"{str(path)!r} has no scripts of models", hint="models/*.yaml")
        self._replies = read_scripts(files)
        base = Base(tables={}, times={}, captured_at=_EPOCH)
        clock = Clock("frozen", captured_at=_EPOCH, real=lambda: _EPOCH)
        self._world = World(base, clock=clock, ids=Ids(seed), session="script")

    async def reply(self, request: ModelRequest) -> ModelReply:
        """The first reply that fits, after the time that it takes.

        Raises:
            ScriptedModelError: It is an error, cannot be made, or none fits.
        """
        placed = self._choose(request)
        self._world.count(placed.place)
        pause = placed.reply.delay_ms + (placed.pace.first_ms if placed.pace else 0)
        if pause:
            await asyncio.sleep(pause / 1000)
        if (error := placed.reply.error) is not None:
            status = error.status or ERROR_STATUS[error.kind]
            raise ScriptedModelError(error_message(error), status=status, kind=error.kind)
        try:
            return placed.constant or render_reply(placed, self._values(request), self._call_ids())
        except TemplateError as failed:
            raise _failure(placed, failed) from failed

    def _choose(self, request: ModelRequest) -> PlacedReply:
        nearest: tuple[str, tuple[str, ...]] = ("", ())
        for placed in self._replies:
            if placed.reply.embedding is not None:
                continue
            answered = self._world.answered
            try:
                if reply_fits(placed, request, self._values(request, ahead=1), answered):
                    return placed
            except TemplateError as failed:
                raise _failure(placed, failed) from failed
            differs = reply_differences(placed, request, answered)
            if not nearest[0] or len(differs) < len(nearest[1]):
                nearest = placed.place, differs
        place, differs = nearest
        told = f"; {place} is nearest: {'; '.join(differs)}" if place else ""
        text = f"no reply of the script fits this request to {request.model}{told}"
        raise ScriptedModelError(text, status=ERROR_STATUS["not_found"], kind="no_reply")

    def _values(
        self, request: ModelRequest, *, ahead: int = 0
    ) -> Callable[[PlacedReply], dict[str, Any]]:
        def make(placed: PlacedReply) -> dict[str, Any]:
            number = self._world.answered.get(placed.place, 0) + ahead
            return {**session_values(self._world, placed.place, number), **request_values(request)}

        return make

    def _call_ids(self) -> Iterator[str]:
        while True:
            yield f"call_{self._world.ids.base36('call', 24)}"


def _failure(placed: PlacedReply, error: TemplateError) -> ScriptedModelError:
    text = f"the reply {placed.place} fails: {error}"
    return ScriptedModelError(text, status=ERROR_STATUS["server_error"], kind="server_error")
