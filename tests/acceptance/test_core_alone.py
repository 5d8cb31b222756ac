"""The core alone runs the bundled suites, and names the extra of everything that needs one."""

from pathlib import Path

import pytest

from tests.acceptance.test_decoys import lay_decoys
from tests.acceptance.test_installed import empty, installed, run

__all__ = ["empty", "installed"]
pytestmark = pytest.mark.slow

SUITES = ("chrome-enterprise", "coding-tasks", "content-review", "sre", "travel")
CASE = "id: c\ninput: hello\nexpect: {text: {contains: [hi]}}\nreference: {answer: hi}\n"
WORLD = '{"capturedAt": "2026-11-01T00:00:00Z"}'
PATTERN = CASE.replace("contains: [hi]", "regex: ['(?<!not )hi']")
FAKE = "api: s\nstubs: [{route: GET /x, body: '{{ fake.name() }}'}]\n"
SOCKET = (
    '{"capturedAt": "2026-11-01T00:00:00Z", "http": [{"url": "/x", "socket": [{"send": "hi"}]}]}'
)
SERVE = ("serve", "--fixtures", "evals", "--port", "0")
RUN = ("run", "evals", "--agent", "oracle")

NEEDS: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "regex": ({"cases/c.yaml": PATTERN}, RUN),
    "fake": ({"apis/s.yaml": FAKE}, RUN),
    "websocket": ({"base/a.json": SOCKET}, RUN),
    "a2a": ({}, ("run", "evals", "--agent", "a2a:http://127.0.0.1:9")),
    "model": ({}, ("run", "evals", "--agent", "model:openai/gpt-5-mini")),
    "mcp": ({}, ("run", "evals", "--agent", "mcp:python server.py#tool")),
    "ray": ({}, (*RUN, "--on", "ray")),
    "otel": ({}, (*RUN, "--otel")),
    "stores": ({}, (*RUN, "--run-dir", "s3://bucket/runs")),
    "results": ({}, (*RUN, "--report", "parquet")),
    "grpc": ({}, (*SERVE, "--grpc-port", "0")),
    "watch": ({}, (*SERVE, "--watch")),
    "metrics": ({}, (*SERVE, "--metrics")),
    "redis": (
        {},
        (*SERVE, "--redis", "redis://127.0.0.1:9"),
    ),
    "capture": ({}, ("record", "--", "true")),
}
"""Extra to the files of a suite, and the command, that need it."""


@pytest.mark.parametrize("suite", SUITES)
def test_a_bundled_suite_passes_its_own_oracle(installed: Path, empty: Path, suite: str) -> None:
    program = str(installed / "bin" / "understudy")
    run(program, "demo", suite, "--copy", "suites", cwd=empty)
    imported = lay_decoys(empty)
    run(program, "run", f"suites/{suite}", "--agent", "oracle", cwd=empty)
    assert not imported.exists()


@pytest.mark.parametrize("extra", NEEDS)
def test_what_needs_an_extra_stops_and_names_it(installed: Path, empty: Path, extra: str) -> None:
    files, command = NEEDS[extra]
    for name, text in {"cases/c.yaml": CASE, "base/a.json": WORLD, **files}.items():
        path = empty / "evals" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    log = empty / "err"
    shown = f'{installed / "bin" / "understudy"} "$@" 2> {log}'

    run("sh", "-c", shown, "sh", *command, cwd=empty, code=2)
    said = log.read_text(encoding="utf-8")
    assert f"pip install 'understudy[{extra}]'" in said
    assert "Traceback" not in said
