"""What was learned of traces, as it goes to the disk."""

from mockserver.capture.learned import Learned, LearnedCall, redact_learned
from mockserver.model import Interaction, RecordedRequest, RecordedResponse
from mockserver.traces.http_spans import TracedRequest

JSON = ("content-type", "application/json")
AT_NS = 1_795_338_000_500_000_000


def test_requests_of_a_trace_are_recordings_those_of_models_apart() -> None:
    asked = [
        ("https://api.example.com/a", (("Content-Length", "9"), ("etag", "x")), '{"b": 1}'),
        ("https://api.example.com/b", (), "data: 1\n\n"),
        ("https://api.example.com/c", (), "plain"),
        ("https://api.example.com/d", (), ""),
        ("https://api.example.com/e", (), None),
        ("https://api.openai.com/v1/responses", (("Content-Type", "text/x"),), "{}"),
    ]
    requests = tuple(
        TracedRequest("POST", url, (("Connection", "close"),), '{"a": 1}', 200, headers, said,
                      AT_NS, 1.23456)
        for url, headers, said in asked
    )  # fmt: skip
    call = LearnedCall("look", {"place": "Bern"}, "sunny")
    redaction = redact_learned([Learned({"id": "c"}, ({"name": "look"},), (call,), requests)])
    [trace] = redaction.traces
    assert (trace.facts, redaction.replaced, redaction.random) == ({"id": "c"}, 0, 0)
    assert [each.request.url for each in trace.interactions] == [
        "mcp://tools/tools/list", "mcp://tools/tools/call/look"
    ]  # fmt: skip
    given = [
        ((("etag", "x"), JSON), b'{"b": 1}'),
        ((("content-type", "text/event-stream"),), b"data: 1\n\n"),
        ((("content-type", "text/plain; charset=utf-8"),), b"plain"),
        ((), b""),
        ((("Content-Type", "text/x"),), b"{}"),
    ]
    urls = [url for url, _, said in asked if said is not None]
    wanted = [
        Interaction(
            RecordedRequest("POST", url, (JSON,), b'{"a": 1}'),
            RecordedResponse(200, "", headers, body),
            "2026-11-22T09:00:00.500Z",
            1.235,
        )
        for url, (headers, body) in zip(urls, given, strict=True)
    ]
    assert [*trace.requests, *trace.models] == wanted
    assert trace.models == (wanted[-1],)
