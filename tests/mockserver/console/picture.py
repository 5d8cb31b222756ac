"""Takes the picture of docs/reference/console.md: `python -m tests.mockserver.console.picture`."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.browsers import chromium
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[3]
PICTURE = ROOT / "docs" / "img" / "console.png"
USERS = "/admin.googleapis.com/admin/directory/v1/users"
WIDE, HEIGHT = 1280, 640


@contextmanager
def mock_server(suite: Path, *options: str) -> Iterator[httpx.Client]:
    """A client of a server as a person starts it."""
    command = [sys.executable, "-m", "mockserver", "serve", "--fixtures", str(suite), "--quiet"]
    with subprocess.Popen(
        [*command, "--port", "0", "--no-proxy", "--until-eof", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[3]
        with httpx.Client(base_url=url, trust_env=False, timeout=PATIENCE_S) as client:
            yield client
        process.terminate()


def make_requests(client: httpx.Client) -> None:
    """What an agent may ask: reads, a write, a tool, a fault, two misses."""
    client.headers["user-agent"] = "support-agent/1.4"
    client.get(f"{USERS}?customer=my_customer&maxResults=20")
    client.get("/calendar.googleapis.com/calendar/v3/users/me/settings")
    client.get("/v1/policies?pageSize=5", headers={"host": "cloudidentity.googleapis.com"})
    client.get(f"{USERS}/zo.lange@example.com")
    client.get(f"{USERS}/zoe.lange@example.com")
    client.put(f"{USERS}/zoe.lange@example.com", json={"orgUnitPath": "/Engineering"})
    client.post("/tools/listOrgUnits", json={})
    fault = {"method": "reports.*", "status": 503, "times": 1, "message": "try again later"}
    client.post("/_mock/sessions/default/faults", json=fault)
    activities = "/admin.googleapis.com/admin/reports/v1/activity/users/all/applications/chrome"
    client.get(f"{activities}?maxResults=5")
    client.get(f"{activities}?maxResults=5")


def main() -> None:
    """Take it."""
    PICTURE.parent.mkdir(exist_ok=True)
    options = ("--case", "EC-004", "--clock", "frozen:2026-11-20T09:00:00Z")
    with mock_server(ROOT / "fixtures" / "chrome-enterprise", *options) as client:
        make_requests(client)
        with chromium() as browser:
            page = browser.new_page(viewport={"width": WIDE, "height": HEIGHT})
            page.goto(f"{client.base_url}/_mock/console/sessions/default")
            page.screenshot(path=PICTURE)


if __name__ == "__main__":
    main()
