"""Spans per second that a session takes, as OpenTelemetry's exporters send them.

Seconds of this process, on one core; the reference makes the same plain values with the generated
classes of OpenTelemetry.
"""

import asyncio
import gzip
import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import httpx
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from mockserver.http.application import Application
from mockserver.http.otlp import read_export
from mockserver.model import SessionSpec
from mockserver.settings import Settings
from tests.benchmarks.figures import Figure, ratio

ROUNDS = 15
BATCH = 512
BATCHES = 8
WANTED = 10_000
ATTRIBUTES: dict[str, Any] = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "cancel_order",
    "gen_ai.tool.call.id": "call_1",
    "gen_ai.tool.call.arguments": '{"order":"A1","reason":"the customer asked for it"}',
    "gen_ai.tool.call.result": '{"id":"A1","status":"cancelled","note":"' + "x" * 120 + '"}',
    "server.address": "127.0.0.1",
    "server.port": 8765,
    "gen_ai.usage.input_tokens": 312,
    "gen_ai.usage.output_tokens": 20,
    "thread.name": "MainThread",
}


def figures() -> Iterator[Figure]:
    batches = [_batch(number) for number in range(BATCHES)]
    yield Figure(
        "spans/s through HTTP into a session, 1 core", asyncio.run(_taken(batches)), WANTED,
        at_least=True,
    )  # fmt: skip
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(_per_second(lambda: read_export(batches[0])))
        theirs.append(_per_second(lambda: _reference(batches[0])))
    yield Figure(
        "spans read / generated classes to plain values", ratio(ours, theirs), 1.5, at_least=True
    )


def _batch(number: int) -> bytes:
    chance, request = random.Random(number), ExportTraceServiceRequest()
    resource = request.resource_spans.add()
    resource.resource.attributes.add(key="service.name").value.string_value = "agent"
    scope = resource.scope_spans.add()
    scope.scope.name = "framework"
    for _ in range(BATCH):
        span = scope.spans.add(
            trace_id=chance.randbytes(16), span_id=chance.randbytes(8),
            parent_span_id=chance.randbytes(8), name="execute_tool cancel_order",
            start_time_unix_nano=1 << 60, end_time_unix_nano=(1 << 60) + 10**6,
        )  # fmt: skip
        for key, value in ATTRIBUTES.items():
            held = span.attributes.add(key=key).value
            if isinstance(value, int):
                held.int_value = value
            else:
                held.string_value = value
    return bytes(request.SerializeToString())


def _reference(content: bytes) -> None:
    json_format.MessageToDict(ExportTraceServiceRequest.FromString(content))


def _per_second(read: Any) -> float:
    start = time.process_time()
    read()
    return BATCH / (time.process_time() - start)


async def _taken(batches: list[bytes]) -> float:
    app = Application(Settings(), real=lambda: datetime.now(UTC))
    packed = [gzip.compress(each, 1) for each in batches]
    headers = {"content-type": "application/x-protobuf", "content-encoding": "gzip"}
    rates = []
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8765"
    ) as client:
        for number in range(ROUNDS):
            session = app.sessions.open(SessionSpec(id=f"s{number}"))
            start = time.process_time()
            for content in packed:
                done = await client.post(
                    f"/s/{session.id}/otlp/v1/traces", content=content, headers=headers
                )
                done.raise_for_status()
            rates.append(BATCH * BATCHES / (time.process_time() - start))
            if session.spans.received != BATCH * BATCHES:
                raise SystemExit("spans are missing")
            app.sessions.close(session.id)
    return sorted(rates)[len(rates) // 2]
