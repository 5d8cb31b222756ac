"""Every httpx client of a process, answered by one recording."""

from pathlib import Path

import httpx

from mockserver.testing.recording import Recording, patch_httpx
from tests.tapes import ORIGIN, recorded, written


def ask() -> int:
    return httpx.get(f"{ORIGIN}/v1/units").status_code


async def test_clients_of_both_kinds_are_answered_and_then_left_alone(tmp_path: Path) -> None:
    before = httpx.HTTPTransport.handle_request
    recording = Recording(written(tmp_path, [recorded(), recorded()]), mode="none")
    with patch_httpx(recording):
        assert ask() == 200
        async with httpx.AsyncClient() as client:
            assert (await client.get(f"{ORIGIN}/v1/units")).status_code == 200
    assert httpx.HTTPTransport.handle_request is before
    assert recording.player is not None
    assert recording.player.unused() == ()


def test_transports_of_ones_own_are_left_alone(tmp_path: Path) -> None:
    recording = Recording(written(tmp_path, [recorded()]), mode="none")
    own = httpx.MockTransport(lambda request: httpx.Response(299))
    with patch_httpx(recording), httpx.Client(transport=own) as client:
        assert client.get(f"{ORIGIN}/v1/units").status_code == 299
