"""What was learned of traces on its way to the disk: the road that every recording takes.

Facts and calls of all traces of an import are redacted together, so that a value has one pseudonym
wherever it stands, whether in a prompt or in what a tool returned.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import orjson

from mockserver import __version__
from mockserver.capture.setup import capture_redactor
from mockserver.cassettes.files import write_cassette
from mockserver.errors import LeakError
from mockserver.messages.json_bodies import read_json
from mockserver.messages.mcp_calls import (
    AGENT_TOOLS,
    TOOL_CALL,
    McpCall,
    is_mcp,
    mcp_interaction,
    tool_result,
)
from mockserver.model import (
    Cassette,
    CassetteInfo,
    Interaction,
    Json,
    JsonObject,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.models.catalog import provider_of_host
from mockserver.models.providers import PROVIDERS
from mockserver.redaction import InteractionSanitizer
from mockserver.traces.http_spans import TracedRequest
from mockserver.traces.spans import moment

_FACTS = RecordedRequest("POST", "trace://facts/", (("content-type", "application/json"),))
_ROUNDS = 4
_OF_THE_WIRE = frozenset({"connection", "content-encoding", "content-length", "transfer-encoding"})
"""Headers of bodies as they were sent, which a trace holds as texts."""


class LearnedCall(NamedTuple):
    """A call of a tool that is to be played again.

    Attributes:
        name: The tool's.
        arguments: What it was given.
        result: What it returned, or the text of its error.
        failed: Whether it failed.
        reads: Whether it is known to change nothing.
        at: RFC 3339, or an empty string.
        duration_ms: How long it took.
    """

    name: str
    arguments: JsonObject
    result: Json
    failed: bool = False
    reads: bool = False
    at: str = ""
    duration_ms: float = 0.0


class Learned(NamedTuple):
    """What was learned of one trace: facts for a case, its tools, and the calls that are played."""

    facts: JsonObject
    tools: tuple[JsonObject, ...]
    calls: tuple[LearnedCall, ...]
    requests: tuple[TracedRequest, ...] = ()


class RedactedTrace(NamedTuple):
    """The same without secrets.

    Attributes:
        facts: For its case.
        interactions: The list of its tools, and their calls.
        requests: What was asked over HTTP.
        models: What of it was asked of models.
    """

    facts: JsonObject
    interactions: tuple[Interaction, ...]
    requests: tuple[Interaction, ...] = ()
    models: tuple[Interaction, ...] = ()


class Redaction(NamedTuple):
    """All that was redacted together.

    Attributes:
        traces: In the order in which they were given.
        replaced: How many different values were replaced.
        random: Values among them that only look random.
        key_id: Which key made the pseudonyms.
    """

    traces: tuple[RedactedTrace, ...]
    replaced: int
    random: int
    key_id: str


def redact_learned(several: Sequence[Learned], rules: Path | None = None) -> Redaction:
    """Redact what was learned of traces, with one pseudonym for a value in all of them.

    Args:
        several: What was learned.
        rules: The user's own rules; where none are named, those of this folder.

    Raises:
        LeakError: Something secret is left that cannot be replaced.
        MockServerError: The rules or the key cannot be read.
    """
    redactor = capture_redactor(rules)
    sanitizer = InteractionSanitizer(redactor)
    bundles = [list(_interactions(each)) for each in several]
    made = [redactor.redact_interactions(bundle) for bundle in bundles]
    for number in range(_ROUNDS):  # what one trace taught is replaced in those before it
        before = made
        made = [
            [
                each if number and sanitizer.is_clean(each) else sanitizer.sanitize_again(each)
                for each in bundle
            ]
            for bundle in made
        ]
        if number and made == before:
            break
    random = {
        question["sealed"]
        for bundle in made
        for each in bundle
        for question in each.review
        if question.get("sealed")
    }
    traces = tuple(_unpack(bundle) for bundle in made)
    return Redaction(
        traces, len(tuple(redactor.seen.secrets())) + len(random), len(random), redactor.key_id
    )


def _interactions(learned: Learned) -> Iterator[Interaction]:
    facts = orjson.dumps(learned.facts)
    yield Interaction(replace(_FACTS, body=facts), RecordedResponse(204))
    listed = McpCall("tools/list", {}, {"tools": list(learned.tools)})
    yield mcp_interaction(AGENT_TOOLS, listed, reads=True, recorded_at="", duration_ms=0)
    for each in learned.calls:
        params = {"name": each.name, "arguments": each.arguments}
        call = McpCall(TOOL_CALL, params, tool_result(each.result, failed=each.failed))
        yield mcp_interaction(
            AGENT_TOOLS,
            call,
            reads=each.reads,
            recorded_at=each.at,
            duration_ms=each.duration_ms,
        )
    yield from (_request(each) for each in learned.requests if each.answer is not None)


def _unpack(bundle: Sequence[Interaction]) -> RedactedTrace:
    """A bundle as it is kept.

    Raises:
        LeakError: The facts could only be replaced whole.
    """
    facts, *rest = bundle
    try:
        told = orjson.loads(facts.request.body)
    except orjson.JSONDecodeError:
        told = None
    if not isinstance(told, dict):
        raise LeakError(
            "nothing is written, a secret is left that cannot be replaced",
            [facts.request.body[:80].decode("utf-8", "replace")],
            hint="add a rule for it to redaction.yaml",
        )
    made = [replace(each, review=()) for each in rest]
    requests = [each for each in made if not is_mcp(each)]
    hosts = (urlsplit(each.request.url).hostname or "" for each in requests)
    models = [each for each, host in zip(requests, hosts, strict=True)
              if provider_of_host(PROVIDERS, host)]  # fmt: skip
    return RedactedTrace(
        told,
        tuple(filter(is_mcp, made)),
        tuple(each for each in requests if each not in models),
        tuple(models),
    )


def _request(told: TracedRequest) -> Interaction:
    """A request of a trace as a recording; the types of bodies are told by them where need be."""
    sent, answer = told.sent.encode(), (told.answer or "").encode()
    return Interaction(
        RecordedRequest(told.method, told.url, _typed(told.sent_headers, sent), sent),
        RecordedResponse(told.status, "", _typed(told.headers, answer), answer),
        moment(told.start_ns),
        round(told.duration_ms, 3),
    )


def _typed(headers: tuple[tuple[str, str], ...], body: bytes) -> tuple[tuple[str, str], ...]:
    kept = tuple(each for each in headers if each[0].lower() not in _OF_THE_WIRE)
    if not body or any(name.lower() == "content-type" for name, _ in kept):
        return kept
    if body.startswith((b"data:", b"event:")):
        kind = "text/event-stream"
    else:
        kind = "application/json" if read_json(body)[1] else "text/plain; charset=utf-8"
    return (*kept, ("content-type", kind))


def write_learned(interactions: Iterable[Interaction], path: Path, key_id: str) -> None:
    """Write the calls of a trace as a cassette.

    Raises:
        MockServerError: It cannot be written.
    """
    made = tuple(interactions)
    at = min((each.recorded_at for each in made if each.recorded_at), default="")
    info = CassetteInfo(recorded_at=at, recorded_by=f"mockserver {__version__}", key_id=key_id)
    write_cassette(Cassette(path.stem, made, info), path)
