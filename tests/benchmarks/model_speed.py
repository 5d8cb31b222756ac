"""A scripted model: short completions against a constant raw ASGI answer."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import orjson

from tests.benchmarks.figures import Figure, ratio
from tests.benchmarks.servers import mock_server, post, reference_server, requests_per_second

ROUNDS = 7
SCRIPT = "replies: [{user: weather, text: It rains.}, {text: Hello. How can I help you today?}]\n"
PATH = "/s/bench/models/openai/v1/chat/completions"
ASKED = orjson.dumps({"model": "gpt-5", "messages": [{"role": "user", "content": "Hello"}]})


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        models = Path(folder) / "models"
        models.mkdir()
        (models / "assistant.yaml").write_text(SCRIPT, encoding="utf-8")
        with mock_server(Path(folder)) as (port, _):
            post(port, "/_mock/sessions", {"id": "bench"})
            with reference_server(port, PATH, ASKED) as reference:
                ours, theirs = [], []
                for _ in range(ROUNDS):
                    ours.append(requests_per_second(port, PATH, ASKED))
                    theirs.append(requests_per_second(reference, "/", ASKED))
    name = "completions of a scripted model / constant raw ASGI, requests/s"
    yield Figure(name, ratio(ours, theirs), 0.4, at_least=True)
