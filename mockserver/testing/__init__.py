"""In-process doors for Python tests: replay, recording and emulation without a server.

    with mock("fixtures/chrome-enterprise"): ...      # every HTTP client of the process
    httpx.Client(transport=ReplayTransport("orgs.yaml"))
    httpx.AsyncClient(transport=EmulatorTransport(Path("fixtures/chrome-enterprise")))
    respx_mock.route().mock(side_effect=ReplaySideEffect("orgs.yaml"))

With pytest, the fixture `understudy` and the marker `cassette` do it for a test. What a test does
not use is not loaded: pytest loads this package in every project that has it installed.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockserver.testing.emulation import EmulatorTransport
    from mockserver.testing.mocks import Mock, current_mock, mock
    from mockserver.testing.recording import RecordingTransport
    from mockserver.testing.replay import CassettePlayer, ReplaySideEffect, ReplayTransport
    from mockserver.testing.transports import lead_clients

__all__ = [
    "CassettePlayer",
    "EmulatorTransport",
    "Mock",
    "RecordingTransport",
    "ReplaySideEffect",
    "ReplayTransport",
    "current_mock",
    "lead_clients",
    "mock",
]

_HOMES = {
    "CassettePlayer": "replay",
    "EmulatorTransport": "emulation",
    "Mock": "mocks",
    "RecordingTransport": "recording",
    "ReplayTransport": "replay",
    "ReplaySideEffect": "replay",
    "current_mock": "mocks",
    "lead_clients": "transports",
    "mock": "mocks",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
