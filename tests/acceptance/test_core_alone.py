"""The core alone runs the bundled suites, and names the extra of everything that needs one."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from harness.server import Settings
from harness.storage import RunFolder
from tests.acceptance.test_decoys import ROOT, lay_decoys
from tests.acceptance.test_installed import empty, installed, run
from tests.harness.server.conftest import serving
from tests.warm import programs_of

__all__ = ["empty", "installed"]
pytestmark = pytest.mark.slow

SUITES = ("chrome-enterprise", "coding-tasks", "content-review", "sre", "travel", "workspace")
CASE = "id: c\ninput: hello\nexpect: {text: {contains: [hi]}}\nreference: {answer: hi}\n"
WORLD = '{"capturedAt": "2026-11-01T00:00:00Z"}'
PATTERN = CASE.replace("contains: [hi]", "regex: ['(?<!not )hi']")
FAKE = "api: s\nstubs: [{route: GET /x, body: '{{ fake.name() }}'}]\n"
SOCKET = (
    '{"capturedAt": "2026-11-01T00:00:00Z", "http": [{"url": "/x", "socket": [{"send": "hi"}]}]}'
)
JUDGED = CASE.replace("text: {contains: [hi]}", "judge: [{question: Is it polite?}]")
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
    "judge": ({"cases/c.yaml": JUDGED}, (*RUN, "--judge", "openai:gpt-5-mini")),
    "stores": ({}, (*RUN, "--run-dir", "abfs://bucket/runs")),
    "s3": ({}, (*RUN, "--run-dir", "s3://bucket/runs")),
    "gs": ({}, (*RUN, "--run-dir", "gs://bucket/runs")),
    "store": ({}, ("runs", "list")),
    "charts": (
        {"results.json": '{"summary": {}, "cases": []}'},
        ("runs", "charts", "evals/results.json"),
    ),
    "agents": ({}, ("demo", "--all")),
    "results": ({}, (*RUN, "--report", "parquet")),
    "grpc": ({}, (*SERVE, "--grpc-port", "0")),
    "watch": ({}, (*SERVE, "--watch")),
    "metrics": ({}, (*SERVE, "--metrics")),
    "redis": (
        {},
        (*SERVE, "--redis", "redis://127.0.0.1:9"),
    ),
    "capture": ({}, ("record", "--", "true")),
    "capture-google": ({}, ("capture", "google", "--plan", "plan.yaml", "--dry-run")),
}
"""Extra to the files of a suite, and the command, that need it."""

UNNAMED = {
    "testing": "what the tests of a user import by themselves",
    "speed": "the server takes it where it is, and does the same without it",
    "bigquery": "its 501 names it",
    "columnar": "the same",
    "clients": "the build takes their messages",
    "office": "the 501 of an export as XLSX names it",
    "all": "the extras together",
    "dev": "the tools of this repository",
}
"""Extras that nothing ever asks for, and why."""


def test_every_extra_is_asked_for_by_something_or_is_known_not_to_be() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert NEEDS.keys() | UNNAMED.keys() == project["optional-dependencies"].keys()
    assert not NEEDS.keys() & UNNAMED.keys()


def write_suite(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in {"cases/c.yaml": CASE, "base/a.json": WORLD, **files}.items():
        path = folder / "evals" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


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
    write_suite(empty, files)
    log = empty / "err"
    program = programs_of(installed / "bin" / "python") / "understudy"
    shown = f'{program} "$@" 2> {log}'

    variables = {"OPENAI_API_KEY": "none"}  # which models are asked for before their package
    run("sh", "-c", shown, "sh", *command, cwd=empty, code=2, variables=variables)
    said = log.read_text(encoding="utf-8")
    assert f"pip install 'understudy[{extra}]'" in said
    assert "Traceback" not in said


HIDDEN = """
api: s
hosts: [api.s.example.com]
stubs: [{route: GET /x, body: '{% set invented = fake %}{{ invented.name() }}'}]
"""
"""What lint cannot know to need an extra: a request does."""
ASK = """
from urllib.error import HTTPError
from urllib.request import urlopen
try:
    urlopen("https://api.s.example.com/x")
except HTTPError as error:
    print("refused with", error.code)
"""


def test_what_turns_out_to_be_missing_in_a_trial_is_no_fault_of_the_agent(
    installed: Path, empty: Path
) -> None:
    write_suite(empty, {"apis/s.yaml": HIDDEN})
    (empty / "agent.py").write_text(ASK, encoding="utf-8")
    program = str(programs_of(installed / "bin" / "python") / "understudy")
    words = "fake needs the package faker (pip install 'understudy[fake]')"

    printed = run(program, "run", "evals", "--agent", "command:python3 agent.py", cwd=empty, code=3)
    (folder,) = (each.parent for each in (empty / "runs").glob("*/manifest.json"))
    (record,) = RunFolder(folder).records()
    assert record.replies[0].text.strip() == "refused with 501"
    assert (record.outcome, record.error) == ("infra_error", f"the mock server: {words}")

    run(program, "report", folder.name, "--format", "html,markdown", cwd=empty)
    with serving(Settings(runs=folder.parent, suites=empty)) as api:
        page = api.get(f"/runs/{folder.name}/trials/c/1", headers={"accept": "text/html"})
    surfaces = {
        "run": printed,
        "explain": run(program, "explain", f"{folder.name}/c", cwd=empty),
        "markdown": _advice((folder / "summary.md").read_text(encoding="utf-8"), "### What can"),
        "html": _advice((folder / "report.html").read_text(encoding="utf-8"), "What can be done"),
        "console": page.text,
    }
    for name, text in surfaces.items():
        assert words in " ".join(text.replace("&#39;", "'").split()), name
        assert "mend the agent's system prompt" not in text, name


def _advice(report: str, title: str) -> str:
    """What a report says behind a title."""
    return report.partition(title)[2][:2_000]
