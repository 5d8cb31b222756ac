"""The review service itself, run and judged by its own runner and by ours, case by case.

The service is installed into an environment of its own, below the scratch folder or where
UNDERSTUDY_REVIEW names one with it, and started on a copy of its project; nothing of it is imported
here. Its model is a double: what it answers depends on the request and on how often that was made,
so that both runners see the same service.
"""

import json
import os
import random
import re
import subprocess
import sys
import threading
import venv
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
from typer.testing import CliRunner
from typing_extensions import override

from harness.cli.main import app
from tests.patience import wait_until
from tests.ports import free_port
from tests.seeds.rows import Row

MODELS = 8
"""So many models are put behind the service, one after the other."""

RUNS = 3
_REF = re.compile(r"^- \[([^\]]+)\]", re.MULTILINE)
_SEVERITIES = ("info", "warning", "violation")
_REFUSED, _NONSENSE = 2, 3
"""Of a hundred answers that the double gives, how many are a refusal, and how many no JSON."""

Answer = tuple[int, str]


def rows(project: Path, scratch: Path) -> Iterator[Row]:
    """Verdicts of first runs, counts of observations, and stabilities.

    Args:
        project: A whole copy of the project.
        scratch: An empty folder.

    Yields:
        One row for each.
    """
    what = "review: the real service, as by its own runner"
    if not (project / "src").is_dir():
        yield Row(what, 0, 0, skipped=f"no whole copy of the service in {project.name}")
        return
    python = _python(project, scratch)
    if isinstance(python, str):
        yield Row(what, 0, 0, skipped=python)
        return
    theirs, ours = [], []
    with double() as model, service(python, project, model.url) as url:
        for seed in range(MODELS):
            model.begin(seed)
            theirs.append(by_their_runner(python, project, url, scratch / f"theirs-{seed}.json"))
            model.begin(seed)
            ours.append(by_ours(project, url, scratch / f"ours-{seed}"))
    yield from compared(theirs, ours)


def compared(theirs: list[Any], ours: list[Any]) -> Iterator[Row]:
    """Results of their runner beside those of ours."""
    found: dict[str, list[str]] = {"first verdict": [], "observations": [], "stability": []}
    totals: Counter[str] = Counter()
    passed = 0
    for seed, (there, here) in enumerate(zip(theirs, ours, strict=True)):
        for case in there["results"]:
            told = here[case["case_id"]]
            passed += case["pass"]
            for what, one, other in (
                ("first verdict", case["pass"], told["statuses"][0] == "pass"),
                ("observations", case.get("observation_counts"), told["observations"]),
                ("stability", case.get("repeatability"), told["stability"]),
            ):
                if one is None:
                    continue
                totals[what] += 1
                if one != other:
                    found[what].append(f"model {seed}, {case['case_id']}: {one}, ours {other}")
    for what, wrong in found.items():
        notes = tuple(wrong[:5])
        if what == "first verdict":
            notes = (f"{passed} of them passed by its own runner", *notes)
        yield Row(
            f"review: the real service, {what}", totals[what] - len(wrong), totals[what], notes
        )


class Double:
    """A model that answers chat completions, each request the same way in each sequence."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._seed = 0
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def begin(self, seed: int) -> None:
        """Be another model, or the same one from its first request on."""
        with self._lock:
            self._seed, self._asked = seed, Counter()

    def answer(self, prompt: str) -> Answer:
        """A status, and what the model says."""
        with self._lock:
            self._asked[prompt] += 1
            draw = random.Random(f"{self._seed} {self._asked[prompt]} {prompt}")
        return _drawn(draw, prompt)


def _drawn(draw: random.Random, prompt: str) -> Answer:
    kind = draw.randrange(100)
    if kind < _REFUSED:
        return 400, "no"  # a status that is not tried again
    if kind < _REFUSED + _NONSENSE:
        return 200, "The content looks fine to me."
    refs = _REF.findall(prompt) or ["none"]
    observations = [_observation(draw, refs) for _ in range(draw.choice((0, 1, 1, 2, 3, 5)))]
    text = json.dumps({"observations": observations})
    return 200, draw.choice((text, text, f"```json\n{text}\n```", f"Here it is: {text}"))


def _observation(draw: random.Random, refs: list[str]) -> dict[str, Any]:
    start = draw.randrange(40)
    return {
        "span": draw.choice((None, [start, start + draw.randrange(40)])),
        "severity": draw.choice(_SEVERITIES),
        "category": "clarity",
        "standard_ref": draw.choice((*refs, refs[0], "UNKNOWN-1")),
        "message": "Say it shorter.",
        "confidence": draw.choice((0.3, 0.6, 0.8, 0.95)),
    }


@contextmanager
def double() -> Iterator[Double]:
    """A model behind a port."""
    port = free_port()
    model = Double(f"http://127.0.0.1:{port}/v1")

    class Completions(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            status, text = model.answer(body["messages"][-1]["content"])
            message = {"role": "assistant", "content": text}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            told = {"id": "1", "object": "chat.completion", "created": 0, "model": "double"}
            content = json.dumps({**told, "choices": [choice]}).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        @override
        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", port), Completions)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def service(python: Path, project: Path, model: str) -> Iterator[str]:
    """The service on a port, with a model behind it.

    Yields:
        Its URL.

    Raises:
        RuntimeError: It does not come up.
    """
    port = free_port()
    command = [str(python), "-m", "uvicorn", "src.csr_service.main:app", "--port", str(port)]
    url = f"http://127.0.0.1:{port}"
    with (
        (project / "service.log").open("wb") as log,
        subprocess.Popen(
            command,
            cwd=project,
            env={**os.environ, "CSR_OLLAMA_BASE_URL": model},
            stdout=log,
            stderr=log,
        ) as running,
    ):
        try:
            wait_until(lambda: running.poll() is not None or _is_up(url), f"the service at {url}")
            if running.poll() is not None:
                raise RuntimeError(f"the service does not come up: see {log.name}")
            yield url
        finally:
            running.terminate()


def _is_up(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health", trust_env=False).status_code < 500
    except httpx.HTTPError:
        return False


def by_their_runner(python: Path, project: Path, url: str, output: Path) -> Any:
    """The results that the project's own runner writes."""
    command = [str(python), "-m", "eval.runner", "--base-url", url, "-n", str(RUNS)]
    subprocess.run(
        [*command, "--json-output", str(output)], cwd=project, capture_output=True, check=True
    )
    return json.loads(output.read_bytes())


def by_ours(project: Path, url: str, runs: Path) -> dict[str, Any]:
    """Case by case: the statuses of its trials, its observations, its stability."""
    results = runs / "results.json"
    order = ["run", "--cases", str(project / "eval/cases"), "--base-url", url, "-n", str(RUNS)]
    order += ["-j", "1", "--run-dir", str(runs), "--json-output", str(results)]
    told = CliRunner().invoke(app, order)
    if not results.is_file():
        raise RuntimeError(f"harness run: {told.output} {told.exception}")
    (report,) = runs.glob("*/report.json")
    statuses = {
        case["caseId"]: [trial["status"] for trial in case["trials"]]
        for case in json.loads(report.read_bytes())["cases"]
    }
    return {
        case["id"]: {
            "statuses": statuses[case["id"]],
            "observations": case["observations"],
            "stability": {
                f"{name}_stability": each["csr_compat"] for name, each in case["stability"].items()
            },
        }
        for case in json.loads(results.read_bytes())["cases"]
    }


def _python(project: Path, scratch: Path) -> Path | str:
    """The interpreter of an environment with the service, or why there is none."""
    if named := os.environ.get("UNDERSTUDY_REVIEW"):
        return Path(named)
    made = scratch / "review"
    venv.create(made, with_pip=True)
    python = made / "bin" / "python"
    # its runner asks with httpx, which only its tests name
    wanted = [str(python), "-m", "pip", "install", "--quiet", str(project), "httpx"]
    try:
        subprocess.run(wanted, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"the service cannot be installed: {error}"
    return python if python.is_file() else f"no {python}; {sys.executable} made none"
