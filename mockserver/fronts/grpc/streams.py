"""Answers of a streaming method: what its handler yields, once it is there."""

import logging
from collections.abc import Iterator

from mockserver.fronts.grpc.asked import Asked
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.sources.exchange import Exchange
from mockserver.sources.misses import internal, session_closed

_log = logging.getLogger(__name__)


class Stream:
    """One stream of answers; each is journalled as a part of the call that opened it.

    Attributes:
        ended: Whether the handler has no more to say.

    Args:
        asked: The call.
        steps: What its handler yields; an empty answer says that there is nothing new.
        seq: The call's number in the journal.
    """

    def __init__(self, asked: Asked, steps: Iterator[JsonObject], seq: int) -> None:
        self.ended = False
        self._asked = asked
        self._steps = steps
        self._seq = seq
        self._world = asked.session.world
        self._seen = -1

    def take(self) -> Iterator[bytes]:
        """What is new since the last time, as messages.

        Raises:
            ApiError: 410 for a session that was closed, 409 for one that was reset.

        Yields:
            Each message as bytes.
        """
        session = self._asked.session
        if session.closed:
            raise session_closed(session.id)
        if session.world is not self._world:
            raise ApiError(409, f"Session {session.id!r} was reset.", code_name="ABORTED")
        # nothing changes in a session that is asked nothing, and a long request goes first
        if session.queue is not None or self._seen == session.journal.reserved:
            return
        while payload := self._step():
            yield self._write(payload)
        self._seen = session.journal.reserved

    def _step(self) -> JsonObject:
        try:
            return next(self._steps)
        except StopIteration:
            self.ended = True
            return {}
        except ApiError:
            raise
        except Exception as error:
            _log.exception("%s failed", self._asked.route.method_id)
            raise internal() from error

    def _write(self, payload: JsonObject) -> bytes:
        asked = self._asked
        part = Exchange(asked.session, asked.route, asked.direct.client, self._seq)
        part.response.ignored = asked.render(payload)
        part.answer(payload)
        part.finish()
        return asked.content
