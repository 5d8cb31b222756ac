"""Every httpx client of this process, answered by one recording."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from unittest.mock import patch

import httpx

from mockserver.testing.recording import Recording


@contextmanager
def httpx_answered(recording: Recording) -> Iterator[None]:
    """Let a recording answer whatever httpx clients ask the network.

    Transports that are given to a client, such as that of an ASGI application, are left alone.

    Yields:
        Nothing.
    """
    ask, ask_async = (
        httpx.HTTPTransport.handle_request,
        httpx.AsyncHTTPTransport.handle_async_request,
    )

    def answer(transport: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        return recording.answer(request, partial(ask, transport))

    async def answer_async(
        transport: httpx.AsyncHTTPTransport, request: httpx.Request
    ) -> httpx.Response:
        return await recording.answer_async(request, partial(ask_async, transport))

    with (
        patch.object(httpx.HTTPTransport, "handle_request", answer),
        patch.object(httpx.AsyncHTTPTransport, "handle_async_request", answer_async),
    ):
        yield
