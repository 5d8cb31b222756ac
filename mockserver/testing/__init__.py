"""In-process doors for Python tests: replay, recording and emulation without a server.

    httpx.Client(transport=ReplayTransport("orgs.yaml"))
    httpx.AsyncClient(transport=EmulatorTransport(Path("fixtures/chrome-enterprise")))
    respx_mock.route().mock(side_effect=ReplaySideEffect("orgs.yaml"))

With pytest, the marker `cassette` does it for every httpx client of a test. What a test does not
use is not loaded: pytest loads this package in every project that has it installed.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockserver.testing.emulation import EmulatorTransport
    from mockserver.testing.recording import RecordingTransport
    from mockserver.testing.replay import CassettePlayer, ReplaySideEffect, ReplayTransport

__all__ = [
    "CassettePlayer",
    "EmulatorTransport",
    "RecordingTransport",
    "ReplaySideEffect",
    "ReplayTransport",
]

_HOMES = {
    "CassettePlayer": "replay",
    "EmulatorTransport": "emulation",
    "RecordingTransport": "recording",
    "ReplayTransport": "replay",
    "ReplaySideEffect": "replay",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
