"""The CPU of a call over gRPC, against grpcio with a constant handler over the same messages."""

import asyncio
import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import grpc
from grpc import aio

from tests.benchmarks.figures import Figure, ratio
from tests.benchmarks.servers import cpu_seconds, free_port, mock_server

LIST = "/google.logging.v2.LoggingServiceV2/ListLogEntries"
ROUNDS = 15
CALLS = 2000
CALLERS = 16


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        suite = _write_suite(Path(folder))
        with mock_server(suite, "--no-proxy", "--grpc-port", str(port)) as (_, pid):
            yield against_reference(port, pid)


def against_reference(port: int, pid: int) -> Figure:
    request = _request()
    answer = _ask(port, request)
    with _reference_server(answer) as (reference, reference_pid):
        ours, theirs = (port, pid), (reference, reference_pid)
        spent: dict[tuple[int, int], list[float]] = {ours: [], theirs: []}
        for server in (ours, theirs) * (ROUNDS + 1):
            spent[server].append(_cpu_of_call(*server, request))
    return Figure(
        "ListLogEntries / grpcio with a constant handler, CPU",
        ratio(spent[theirs][1:], spent[ours][1:]),
        0.7,
        at_least=True,
    )


def _write_suite(folder: Path) -> Path:
    entries = [
        {
            "logName": "projects/shop-prod/logs/stdout",
            "insertId": f"bench{number}",
            "timestamp": f"2026-11-20T08:59:{number:02}.123456789Z",
            "receiveTimestamp": f"2026-11-20T08:59:{number + 1:02}Z",
            "severity": "ERROR",
            "textPayload": "payment of order 1734 refused by the provider after 3 attempts",
            "trace": f"projects/shop-prod/traces/{number:032x}",
            "labels": {"k8s-pod/app": "checkout"},
            "resource": {
                "type": "k8s_container",
                "labels": {
                    "project_id": "shop-prod",
                    "cluster_name": "prod-eu",
                    "namespace_name": "shop",
                    "pod_name": "checkout-5d8f7",
                    "container_name": "checkout",
                },
            },
        }
        for number in range(3)
    ]
    (folder / "base").mkdir()
    project = {"name": "projects/415104041262", "projectId": "shop-prod", "state": "ACTIVE"}
    snapshot = {
        "capturedAt": "2026-11-20T09:00:00Z",
        "projects": [project],
        "logEntries": entries,
    }
    (folder / "base" / "logs.json").write_text(json.dumps(snapshot), encoding="utf-8")
    return folder


def _request() -> bytes:
    from google.cloud.logging_v2.types import ListLogEntriesRequest

    content: bytes = ListLogEntriesRequest.serialize(
        ListLogEntriesRequest(
            resource_names=["projects/shop-prod"],
            filter='severity>=ERROR AND resource.type="k8s_container"',
            order_by="timestamp desc",
            page_size=50,
        )
    )
    return content


def _ask(port: int, request: bytes) -> bytes:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        answer: bytes = channel.unary_unary(LIST)(request, wait_for_ready=True, timeout=30)
        return answer


@contextlib.contextmanager
def _reference_server(answer: bytes) -> Iterator[tuple[int, int]]:
    port = free_port()
    command = (sys.executable, "-m", "tests.benchmarks.grpc_reference", str(port), answer.hex())
    running = subprocess.Popen(command)
    try:
        _ask(port, _request())
        yield port, running.pid
    finally:
        running.terminate()
        running.wait(10)


def _cpu_of_call(port: int, pid: int, request: bytes) -> float:
    """Seconds of the server's CPU."""
    return asyncio.run(_keep_busy(port, pid, request))


async def _keep_busy(port: int, pid: int, request: bytes) -> float:
    async with aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        call = channel.unary_unary(LIST)

        async def caller(count: int) -> None:
            for _ in range(count):
                await call(request)

        await caller(CALLERS)
        before = cpu_seconds(pid)
        await asyncio.gather(*(caller(CALLS // CALLERS) for _ in range(CALLERS)))
        return (cpu_seconds(pid) - before) / CALLS
