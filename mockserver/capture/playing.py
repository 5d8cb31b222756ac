"""Answers of a capture that plays what its cassette has: sent at once, to their end."""

import asyncio

from mockserver.capture.delivery import Delivery, Send
from mockserver.capture.rewriting import Rewriting
from mockserver.capture.upstream import NoAnswerError
from mockserver.cassettes.files.bodyfiles import BodyFileError, open_body, pieces_of
from mockserver.cassettes.replay import Played, Player, Tape
from mockserver.messages import content_encoding, encoded, header, with_header, without
from mockserver.messages.streamcoding import coded_pieces
from mockserver.model import BodyFile, Header, Interaction, RecordedRequest, RecordedResponse


class Plays:
    """The cassette of a capture as it was before.

    Args:
        tape: What is played.
    """

    def __init__(self, tape: Tape) -> None:
        self._player = Player([tape], repeats="once", barriers="strict")

    def find(self, request: RecordedRequest) -> Interaction | str:
        """The recording that answers a redacted request, or why there is none."""
        found = self._player.play(request)
        if isinstance(found, Played):
            return found.interaction
        near = f"; nearest: {found.nearest}" if found.nearest else ""
        differs = f", differs in {', '.join(found.differs)}" if found.differs else ""
        return f"{found.reason}{near}{differs}"


async def play(
    send: Send, response: RecordedResponse, method: str, rewriting: Rewriting | None
) -> None:
    """Send a recorded response in its pieces, without their timing."""
    if response.file is not None:
        await _play_file(send, response, response.file, method, rewriting)
        return
    body, headers = _coded(response)
    delivery = Delivery(send, (response.status, headers), method, rewriting)
    await delivery.begin()
    for piece in _pieces(response, body):
        await delivery.piece(piece)
    await delivery.finish(response.ended)


async def _play_file(
    send: Send,
    response: RecordedResponse,
    file: BodyFile,
    method: str,
    rewriting: Rewriting | None,
) -> None:
    """Send a recorded response from the file of its body.

    Raises:
        NoAnswerError: That is not there, or has another content.
    """
    headers = without(response.headers, ["content-encoding"])
    if response.coding:
        headers = without(headers, ["content-length"])
        headers = (*headers, ("Content-Encoding", content_encoding(response.coding)))
    try:
        opened = await asyncio.to_thread(open_body, file)
    except BodyFileError as error:
        raise NoAnswerError(424, error.message) from error
    pieces = coded_pieces(pieces_of(opened), response.coding)
    delivery = Delivery(send, (response.status, headers), method, rewriting)
    await delivery.begin()
    while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
        await delivery.piece(piece)
    await delivery.finish(response.ended)


def _coded(response: RecordedResponse) -> tuple[bytes, tuple[Header, ...]]:
    """The body as it is on the wire, and headers that fit it."""
    body, headers = response.body, without(response.headers, ["content-encoding"])
    if response.coding:
        body = encoded(body, response.coding)
        headers = (*headers, ("Content-Encoding", content_encoding(response.coding)))
        if header(headers, "content-length"):
            headers = with_header(headers, "Content-Length", str(len(body)))
    return body, headers


def _pieces(response: RecordedResponse, body: bytes) -> list[bytes]:
    if response.coding or not response.chunks:
        return [body] if body else []
    pieces, start = [], 0
    for chunk in response.chunks:
        pieces.append(body[start : start + chunk.size])
        start += chunk.size
    return [piece for piece in pieces if piece]
