"""Workers behind one port: killed, replaced, stopped; and what keeps them from coming up."""

import json
import os
import signal
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from typing_extensions import override

from mockserver.cli.serve_options import SharingOptions
from mockserver.errors import MockServerError
from mockserver.shared.handover import session_in_head
from tests.mockserver.conftest import UNITS
from tests.patience import PATIENCE_S, wait_until
from tests.ports import free_port
from tests.redis_servers import RedisServer

SERVE = (sys.executable, "-m", "mockserver", "serve", "--port", "0", "--quiet")


@contextmanager
def served(*options: str, **environment: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server of several processes: its URL, and its process."""
    server = subprocess.Popen(
        (*SERVE, *options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, **environment},
    )  # fmt: skip
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        assert "ready at " in line, server.communicate()
        yield line.split("ready at ")[1].split()[0], server
    finally:
        server.terminate()
        server.communicate(timeout=PATIENCE_S)


def workers(server: subprocess.Popen[str]) -> list[int]:
    found = subprocess.run(
        ("pgrep", "-P", str(server.pid)), capture_output=True, text=True, check=False
    )
    return [int(pid) for pid in found.stdout.split()]


def add_unit(url: str, name: str) -> int:
    """Asked until a worker answers: one that is killed answers nobody."""
    body = json.dumps({"name": name, "parentOrgUnitPath": "/"}).encode()
    request = urllib.request.Request(
        f"{url}{UNITS}", body, {"content-type": "application/json"}, method="POST"
    )
    status: list[int] = []

    def is_answered() -> bool:
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                status.append(answer.status)
        except urllib.error.HTTPError as error:
            status.append(error.code)
        except OSError:
            return False
        return True

    wait_until(is_answered)
    return status[0]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["files", "redis"])
def test_sessions_outlive_killed_workers_and_killed_servers(
    kind: str, suite: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if kind == "redis":
        redis: RedisServer = request.getfixturevalue("redis")
        where = ["--redis", redis.url, "--redis-prefix", tmp_path.name]
    else:
        where = ["--state-dir", str(tmp_path / "state")]
    options = ["--fixtures", str(suite), "--workers", "3", *where]
    with served(*options) as (url, server):
        for name in ("a", "b", "c"):
            with httpx.Client(trust_env=False) as client:
                client.post(f"{url}/_mock/sessions", json={"id": name}).raise_for_status()
        for number, pid in enumerate(workers(server)):
            for name in "abc":
                assert add_unit(f"{url}/s/{name}", f"U{number}") == 200
            os.kill(pid, signal.SIGKILL)
            for name in "abc":
                assert add_unit(f"{url}/s/{name}", f"U{number}") == 409
        server.kill()  # its workers end with it
        server.wait(timeout=PATIENCE_S)
    with served(*options) as (url, _), httpx.Client(trust_env=False) as client:
        for name in "abc":
            report = client.delete(f"{url}/_mock/sessions/{name}").json()
            (change,) = report["diff"].values()
            assert [row["name"] for row in change["added"].values()] == ["U0", "U1", "U2"]
            assert [each["status"] for each in report["journal"]["entries"]] == [200, 409] * 3


@pytest.mark.slow
def test_one_connection_reaches_the_sessions_of_all_workers(suite: Path) -> None:
    names = [f"s{number}" for number in range(12)]
    with (
        served("--fixtures", str(suite), "--workers", "3") as (url, _),
        httpx.Client(trust_env=False, limits=httpx.Limits(max_connections=1)) as client,
    ):
        for name in names:
            client.post(f"{url}/_mock/sessions", json={"id": name}).raise_for_status()
        pids = set()
        for turn in range(3):
            for name in names:
                body = {"name": f"U{turn}", "parentOrgUnitPath": "/"}
                assert client.post(f"{url}/s/{name}{UNITS}", json=body).status_code == 200
            pids.add(client.get(f"{url}/_mock/health").json()["pid"])
        for name in names:
            report = client.delete(f"{url}/_mock/sessions/{name}").json()
            assert len(report["journal"]["entries"]) == 3


@pytest.mark.slow
def test_over_tls_any_worker_answers_for_any_session(suite: Path, tmp_path: Path) -> None:
    options = ["--fixtures", str(suite), "--workers", "2", "--port", str(free_port())]
    home = str(tmp_path / "home")
    units = UNITS.removeprefix("/admin.googleapis.com")
    held: dict[int, LedClient] = {}
    with (
        served(*options, "--tls-port", "0", UNDERSTUDY_HOME=home) as (url, server),
        ExitStack() as stack,
    ):
        token = httpx.post(f"{url}/_mock/sessions", json={"id": "a"}).json()["token"]
        port = httpx.get(f"{url}/_mock/health").json()["fronts"]["tls"]
        wait_until(lambda: any(Path(home).glob("servers/*/ca.pem")))
        (trusted,) = Path(home).glob("servers/*/ca.pem")

        def is_connected_to_all() -> bool:
            client = stack.enter_context(LedClient(port, token, trusted))
            owner = {"authorization": "", "host": url.removeprefix("http://")}
            held[client.get("/_mock/health", headers=owner).json()["pid"]] = client
            return set(held) >= set(workers(server)) and len(workers(server)) == 2

        wait_until(is_connected_to_all)
        for number, client in enumerate(held.values()):
            body = {"name": f"U{number}", "parentOrgUnitPath": "/"}
            client.post(units, json=body).raise_for_status()
        seen = [client.get(units, params={"type": "all"}).json() for client in held.values()]
        assert seen[0] == seen[1]
        assert {"U0", "U1"} <= {row["name"] for row in seen[0]["organizationUnits"]}
        (killed, _), (_, other) = held.items()
        os.kill(killed, signal.SIGKILL)
        assert other.get(units, params={"type": "all"}).json() == seen[0]
        wait_until(lambda: killed not in workers(server))
        wait_until(is_connected_to_all)  # the new one signs as the others do
        assert "start one without --workers" in grpc_refusal(port, trusted, "TailLogEntries")
        assert "At least one resource name" in grpc_refusal(port, trusted, "ListLogEntries")
        report = httpx.delete(f"{url}/_mock/sessions/a").json()
    assert [each["status"] for each in report["journal"]["entries"]] == [200] * 5


@pytest.mark.slow
def test_the_proxy_leads_to_the_worker_of_a_session(suite: Path, tmp_path: Path) -> None:
    options = ["--fixtures", str(suite), "--workers", "2", "--proxy-port", "0"]
    names, home = ("a", "b", "c", "d"), str(tmp_path / "home")
    with served(*options, UNDERSTUDY_HOME=home) as (url, server):
        opened = [httpx.post(f"{url}/_mock/sessions", json={"id": name}) for name in names]
        variables = opened[-1].json()["env"]
        trust = ssl.create_default_context(cafile=variables["SSL_CERT_FILE"])

        def ask(session: str, where: str) -> int:
            proxy = variables["HTTPS_PROXY"].replace("//d:", f"//{session}:")
            try:
                return httpx.get(where, proxy=proxy, verify=trust, trust_env=False).status_code
            except httpx.ProxyError as refused:
                return int(str(refused).split()[0])
            except httpx.RemoteProtocolError:  # of the process that was killed
                return 0

        units = f"https://admin.googleapis.com{UNITS.removeprefix('/admin.googleapis.com')}"
        for name in names:
            assert [ask(name, units), ask(name, "https://www.example.org/")] == [200, 403]
        os.kill(workers(server)[0], signal.SIGKILL)
        wait_until(lambda: len(workers(server)) == 2)
        for name in names:
            wait_until(lambda name=name: ask(name, units) == 200)  # type: ignore[misc]
            report = httpx.delete(f"{url}/_mock/sessions/{name}").json()
            journal = [(each["host"], each["status"]) for each in report["journal"]["entries"]]
            assert journal[:2] == [("admin.googleapis.com", 200), ("www.example.org", 403)]
            assert ask(name, units) == 410
        assert ask("nobody", units) == 404


def grpc_refusal(port: int, trusted: Path, method: str) -> str:
    """What a gRPC client is told."""
    credentials = grpc.ssl_channel_credentials(trusted.read_bytes())
    name = ("grpc.ssl_target_name_override", "logging.googleapis.com")
    with grpc.secure_channel(f"127.0.0.1:{port}", credentials, (name,)) as channel:
        call = channel.unary_unary(f"/google.logging.v2.LoggingServiceV2/{method}")
        with pytest.raises(grpc.RpcError) as refused:
            call(b"", timeout=PATIENCE_S)
    return str(refused.value.details())


class LedClient(httpx.Client):
    """One whose hosts file leads Google's names to a listener; it verifies whom it speaks to."""

    def __init__(self, port: int, token: str, trusted: Path) -> None:
        super().__init__(
            base_url=f"https://127.0.0.1:{port}",
            verify=ssl.create_default_context(cafile=trusted),
            headers={"host": "admin.googleapis.com", "authorization": f"Bearer {token}"},
            trust_env=False,
        )

    @override
    def send(self, request: httpx.Request, **how: Any) -> httpx.Response:
        request.extensions["sni_hostname"] = "admin.googleapis.com"
        return super().send(request, **how)


NONE: dict[str, object] = {}


@pytest.mark.parametrize(
    ("options", "others", "message"),
    [
        ({}, {"--watch": True}, "--watch does not go with --workers"),
        ({}, {"--metrics": True}, "--metrics does not go with --workers"),
        ({"redis_prefix": "x"}, NONE, "--redis-prefix and --session-ttl are about a Redis"),
        ({"redis": "redis://x", "state_dir": Path()}, NONE, "choose one"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    options: dict[str, Any], others: dict[str, object], message: str
) -> None:
    given = SharingOptions(**options)
    assert given.are_kept is bool(options)
    with pytest.raises(MockServerError) as refused:
        given.check(others)
    assert message in str(refused.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--redis", "http://:hunter2@x:1/0"], "'http://x:1/0' is no URL of a Redis"),
        (["--redis", "redis://:hunter2@127.0.0.1:1/0"], "redis://127.0.0.1:1/0 does not answer"),
        (["--workers", "2", "--case", "X"], "no case 'X'"),
        (["--state-dir", "/dev/null/x"], "/dev/null/x: sessions cannot be logged there"),
    ],
)
def test_what_keeps_it_from_coming_up_is_told_in_one_line(options: list[str], message: str) -> None:
    done = subprocess.run(
        (*SERVE, *options), capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert done.returncode in {2, 3}
    assert message in done.stderr.replace("\n", " ")
    assert "hunter2" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("head", "session"),
    [
        (b"GET /s/a/x HTTP/1.1\r\n\r\n", "a"),
        (b"GET /_mock/sessions/a HTTP/1.1\r\n\r\n", "a"),
        (b"POST /_mock/sessions HTTP/1.1\r\n\r\n", None),
        (b"GET / HTTP/1.1\r\nX-MOCK-session:  b \r\n\r\n", "b"),
        (b"GET / HTTP/1.1\r\nAuthorization: bearer ya29.mock~c~0\r\n\r\n", "c"),
        (b"GET / HTTP/1.1\r\nAuthorization: Bearer other\r\n\r\n", "default"),
        (b"GET / HTTP/1.1\r\nbaggage: a=1,mock.session=d\r\n\r\n", "d"),
        (b"GET /", "default"),
        (b"\x16\x03", "default"),
    ],
)
def test_where_a_request_goes_is_read_of_its_head(head: bytes, session: str | None) -> None:
    assert session_in_head(head) == session


@pytest.mark.parametrize(
    ("asked", "cores", "options", "count", "told"),
    [
        ("3", 2, {}, 3, ""),
        ("auto", 8, {}, 8, "8 processes, without MCP"),
        ("auto", 96, {}, 64, "64 processes"),
        ("auto", 2, {}, 1, "2 cores, and several are faster from 4 on"),
        ("auto", 2, {"redis": "redis://x"}, 2, "2 processes"),
        ("auto", 2, {"state_dir": Path("x")}, 2, "2 processes"),
        ("auto", 8, {"alone": {"--watch": None, "--strict": True}}, 1, "--strict needs it"),
    ],
)
def test_auto_is_as_many_workers_as_help(
    asked: str, cores: int, options: dict[str, Any], count: int, told: str
) -> None:
    alone = options.get("alone", {})
    given = {name: value for name, value in options.items() if name != "alone"}
    made, said = SharingOptions(workers=asked, **given).processes(alone, cores=cores)
    assert made == count
    assert told in said
    assert bool(said) == (asked == "auto")


@pytest.mark.parametrize("asked", ["0", "65", "-1", "two", ""])
def test_other_numbers_of_workers_are_refused(asked: str) -> None:
    with pytest.raises(MockServerError, match="no number of processes"):
        SharingOptions(workers=asked).processes({}, cores=2)
