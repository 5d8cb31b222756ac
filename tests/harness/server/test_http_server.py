import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from harness.errors import HarnessError, InfrastructureError
from harness.server import Settings
from harness.server.http_server import application, bind
from harness.server.settings import MAX_BODY_BYTES
from tests.harness.server.conftest import Api, now
from tests.patience import PATIENCE_S, wait_until


def test_a_database_that_makes_no_sense_is_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="unknown kind"):
        application(Settings(runs=tmp_path, db="mysql://h/d"), now)


NAMED = {"authorization": "Bearer s3cret"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": "Basic s3cret"}, 401),
        (NAMED, 200),
        ({"authorization": "bearer s3cret", "host": "localhost:{port}"}, 200),
        ({**NAMED, "host": "evals.example.com:{port}"}, 200),
        ({**NAMED, "host": "evals.example.com"}, 403),
        ({**NAMED, "host": "rebound.example.net:{port}"}, 403),
        ({**NAMED, "origin": "http://127.0.0.1:{port}"}, 200),
        ({**NAMED, "origin": "http://127.0.0.1:3000"}, 403),
        ({**NAMED, "origin": "null"}, 403),
    ],
    ids=str,
)
def test_who_may_ask(idle: Api, headers: dict[str, str], status: int) -> None:
    told = {name: value.format(port=idle.port) for name, value in headers.items()}
    with httpx.Client(base_url=idle.base_url, trust_env=False) as client:
        answer = client.get("/api/eval/baselines", headers=told)
    assert answer.status_code == status
    assert "s3cret" not in answer.text
    if status == 401:
        assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("verb", "path"),
    [("POST", "/api/eval/suites"), ("POST", "/api/eval/run"), ("DELETE", "/api/eval/baselines/x")],
)
def test_a_form_is_refused_before_it_is_read(idle: Api, verb: str, path: str) -> None:
    answer = idle.request(verb, path, content="a=b", headers={"content-type": "text/plain"})
    assert answer.status_code == 415
    assert "application/json" in answer.json()["error"]["hint"]


def test_a_body_of_100_mb_is_refused_without_being_read(idle: Api) -> None:
    answer = _raw(idle, b"Content-Length: 104857600\r\n", b"")
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"longer than 1 MiB" in answer


def test_a_body_that_does_not_say_how_long_it_is_is_read_up_to_the_limit(idle: Api) -> None:
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    body = chunk * (MAX_BODY_BYTES // 0x10000 + 1)
    answer = _raw(idle, b"Transfer-Encoding: chunked\r\n", body)
    assert answer.startswith(b"HTTP/1.1 413 ")


def _raw(idle: Api, headers: bytes, body: bytes) -> bytes:
    """The answer to a request whose body never ends."""
    address = urlsplit(str(idle.base_url))
    port = address.port or 0
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
        host = b"Host: localhost:%d\r\nContent-Type: application/json\r\n" % port
        connection.sendall(b"POST /api/eval/suites HTTP/1.1\r\n" + host + headers)
        connection.sendall(b"Authorization: Bearer s3cret\r\n")
        connection.sendall(b"\r\n" + body)
        return connection.recv(65536)


def test_secrets_are_in_no_repr() -> None:
    assert "s3cret" not in repr(Settings(token="s3cret", db="postgresql://u:s3cret@h/d"))


def test_a_server_is_reached_from_this_machine_alone_and_starts_no_programs() -> None:
    assert Settings().host == "127.0.0.1"
    assert Settings().allow_subprocess is False


@pytest.mark.slow
def test_the_command_serves_until_it_is_told_to_stop(suites: Path, tmp_path: Path) -> None:
    """CTX-29: through the real command."""
    command = [sys.executable, "-m", "harness", "serve", "--port", "0", "--suites", str(suites)]
    with subprocess.Popen(
        [*command, "--run-dir", str(tmp_path / "runs")],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "EVAL_DB": ""},
    ) as server:
        assert server.stdout is not None
        found = re.fullmatch(r"understudy console ready at (\S+)\n", server.stdout.readline())
        assert found is not None
        listed = httpx.get(f"{found[1]}/api/eval/suites", trust_env=False).json()
        assert [suite["name"] for suite in listed] == ["office"]
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=PATIENCE_S) in {0, -signal.SIGINT, 130}


def test_a_port_that_is_taken_is_told() -> None:
    listener = bind("127.0.0.1", 0)
    port = listener.getsockname()[1]
    with pytest.raises(InfrastructureError, match=rf"cannot listen on 127.0.0.1:{port}.*--port"):
        bind("127.0.0.1", port)
    listener.close()


@pytest.mark.slow
def test_runs_trials_and_verdicts_are_counted(served: Callable[..., Api]) -> None:
    api = served(metrics=True)
    order = {"agent": "oracle", "trials": 2}
    accepted = api.post("/api/eval/suites/office/run", json=order).json()
    api.wait(accepted["runId"])
    over = 'understudy_runs_total{state="finished"} 1.0'
    wait_until(lambda: over in api.get("/metrics").text, "a run that is counted")
    page = api.get("/metrics").text
    for line in (
        'understudy_trials_total{status="pass"} 4.0',
        'understudy_verdicts_total{verdict="passed"} 2.0',
        "understudy_trial_duration_seconds_count 4.0",
        'understudy_queue{state="running"} 0.0',
    ):
        assert f"{line}\n" in page
    assert "office" not in page


def test_a_server_without_metrics_says_how_to_have_them(idle: Api) -> None:
    answer = idle.get("/metrics")
    assert answer.status_code == 404
    assert answer.json()["error"]["hint"] == "start it with --metrics"
