import pytest

from mockserver.apis.chromemanagement import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ENG, WEB, world

BROWSERS: list[JsonObject] = [
    {
        "deviceId": "dev-1",
        "machineName": "eng-lt-01",
        "orgUnitId": f"id:{ENG}",
        "osPlatform": "Windows",
        "lastDeviceUser": "ada@example.com",
        "lastActivityTime": "2026-03-01T08:00:00Z",
        "browsers": [{"browserVersion": "142.0.1", "channel": "STABLE"}],
        "extensionCount": 3,
    },
    {
        "deviceId": "dev-2",
        "machineName": "web-mb-02",
        "orgUnitId": WEB,
        "osPlatform": "Mac OS X",
        "lastActivityTime": "2026-01-05T08:00:00Z",
        "browsers": [{"browserVersion": "138.0.2", "channel": "CHANNEL_BETA"}],
        "extensionCount": 12,
        "annotatedUser": "Grace",
    },
    {"deviceId": "dev-3", "machineName": "sales-01", "orgUnitPath": "/Sales", "osPlatform": "BeOS"},
]
TOKENS: list[JsonObject] = [
    {"tokenId": "tok-eng", "token": "t-1", "orgUnitId": ENG, "status": "valid",
     "createTime": "2026-01-01T00:00:00Z", "expireTime": "2027-01-01T00:00:00Z"},
    {"tokenId": "tok-old", "token": "t-2", "orgUnitPath": "/Sales", "status": "valid",
     "expireTime": "2026-02-01T00:00:00Z"},
    {"tokenId": "tok-gone", "token": "t-3", "orgUnitPath": "/Sales", "status": "revoked"},
]  # fmt: skip


@pytest.fixture
def tenant() -> World:
    return world(API, browsers=BROWSERS, enrollmentTokens=TOKENS)
