"""In-process doors for Python tests: replay, recording and emulation without a server.

    httpx.Client(transport=ReplayTransport("orgs.yaml"))
    httpx.AsyncClient(transport=EmulatorTransport(Path("fixtures/chrome-enterprise")))
    respx_mock.route().mock(side_effect=Replaying("orgs.yaml"))

With pytest, the marker `cassette` does it for every httpx client of a test. What a test does not
use is not loaded: pytest loads this package in every project that has it installed.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockserver.testing.emulation import EmulatorTransport
    from mockserver.testing.recording import RecordingTransport
    from mockserver.testing.replay import Deck, Replaying, ReplayTransport

__all__ = ["Deck", "EmulatorTransport", "RecordingTransport", "ReplayTransport", "Replaying"]

_HOMES = {
    "Deck": "replay",
    "EmulatorTransport": "emulation",
    "RecordingTransport": "recording",
    "ReplayTransport": "replay",
    "Replaying": "replay",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
