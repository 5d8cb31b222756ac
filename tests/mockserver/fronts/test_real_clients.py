"""Unchanged clients, as programs of their own: through the proxy, and through the TLS listener.

The programs know nothing of the server; a module that Python loads at its start stands for the
hosts file that leads Google's names to the listener.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from mockserver.client import MockServer
from mockserver.model import SessionInfo, SessionSpec
from tests.mockserver.conftest import write_suite
from tests.patience import PATIENCE_S

HOSTS_FILE = """
import os, socket
port = int(os.environ["LISTENER"])
resolve, connect = socket.getaddrinfo, socket.socket.connect

def led(host, at):
    name = host.decode() if isinstance(host, bytes) else str(host)
    is_led = name.endswith((".googleapis.com", ".example.com"))
    return ("127.0.0.1", port) if is_led else (host, at)

socket.getaddrinfo = lambda host, at, *args, **how: resolve(*led(host, at), *args, **how)
socket.socket.connect = lambda self, address: connect(self, led(*address[:2]))
"""

UNITS = "https://admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits?type=all"
CREDENTIALS = (
    "import os; from google.oauth2.credentials import Credentials;"
    "credentials = Credentials(os.environ['GOOGLE_OAUTH_ACCESS_TOKEN'])\n"
)
PROGRAMS = {
    "google-api-python-client": CREDENTIALS + "from googleapiclient.discovery import build\n"
    "directory = build('admin', 'directory_v1', credentials=credentials)\n"
    "units = directory.orgunits().list(customerId='my_customer', type='all').execute()\n"
    "print(len(units['organizationUnits']))\n",
    "AuthorizedSession": CREDENTIALS
    + "from google.auth.transport.requests import AuthorizedSession\n"
    f"units = AuthorizedSession(credentials).get('{UNITS}').json()\n"
    "print(len(units['organizationUnits']))\n",
    "httpx": "import httpx, os\n"
    "token = os.environ['GOOGLE_OAUTH_ACCESS_TOKEN']\n"
    f"units = httpx.get('{UNITS}', headers={{'Authorization': f'Bearer {{token}}'}}).json()\n"
    "print(len(units['organizationUnits']))\n",
}


@dataclass
class World:
    session: SessionInfo
    port: int
    hosts_file: Path

    def environ(self, way: str) -> dict[str, str]:
        block = dict(self.session.env)
        if way == "TLS listener":
            block = {name: block[name] for name in block if "proxy" not in name.lower()}
            block |= {"LISTENER": str(self.port), "PYTHONPATH": str(self.hosts_file)}
        return {"PATH": os.environ["PATH"], **block}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("clients")
    (folder / "sitecustomize.py").write_text(HOSTS_FILE)
    with asyncio.Runner() as runner:
        options = ("--tls-port", "0")
        server = runner.run(MockServer.start(write_suite(folder / "suite"), options=options))
        fronts = dict(server.health["fronts"])
        yield World(runner.run(server.open(SessionSpec())), fronts["tls"], folder)
        runner.run(server.close())


def run(command: list[str], environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=environ, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


@pytest.mark.parametrize("way", ["proxy", "TLS listener"])
@pytest.mark.parametrize("client", PROGRAMS)
def test_a_client_needs_nothing_but_its_environment(world: World, client: str, way: str) -> None:
    done = run([sys.executable, "-c", PROGRAMS[client]], world.environ(way))
    assert (done.stdout, done.stderr) == ("2\n", "")


@pytest.mark.parametrize(
    ("way", "why"),
    [
        ("proxy", "api.example.com is not emulated"),
        ("TLS listener", "permitted subtree violation"),
    ],
)
def test_another_host_fails_and_says_why(world: World, way: str, why: str) -> None:
    program = "import httpx; print(httpx.get('https://api.example.com').text)"
    done = run([sys.executable, "-c", program], world.environ(way))
    assert why in done.stdout + done.stderr


@pytest.mark.parametrize("way", ["proxy", "TLS listener"])
@pytest.mark.parametrize("http2", [False, True], ids=["HTTP/1.1", "HTTP/2 offered"])
def test_curl_needs_nothing_but_its_environment(world: World, way: str, *, http2: bool) -> None:
    led = ["--connect-to", f"::127.0.0.1:{world.port}"] if way == "TLS listener" else []
    offered = ["--http2"] if http2 else []
    token = f"Authorization: Bearer {world.session.token}"
    done = run(["curl", "-sS", *led, *offered, "-H", token, UNITS], world.environ(way))
    assert done.stderr == ""
    assert '"organizationUnits"' in done.stdout


def test_mutual_tls_hosts_are_the_same_apis(world: World) -> None:
    url = UNITS.replace("admin.googleapis", "admin.mtls.googleapis")
    done = run(["curl", "-sS", url], world.environ("proxy"))
    assert '"organizationUnits"' in done.stdout


def test_without_trust_nothing_is_said(world: World) -> None:
    environ = {name: value for name, value in world.environ("proxy").items() if "CA" not in name}
    done = run(["curl", "-sS", UNITS], {**environ, "SSL_CERT_FILE": "/dev/null"})
    assert done.stdout == ""
    assert done.returncode != 0
