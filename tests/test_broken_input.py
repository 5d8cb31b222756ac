"""Every command of the programs with every kind of broken input: one clear error, no traceback."""

import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import pytest
from typer.testing import CliRunner

from harness.cli.main import app as harness
from harness.cli.main import error_text
from mockserver.asgi.server import HttpServer
from mockserver.cli.main import app as mockserver
from mockserver.errors import UserError

ROOT = Path(__file__).parents[1]
WRITTEN = {
    "empty": b"",
    "malformed": b'{"a": [',
    "text": b'"text"',
    "list": b"[1]",
    "number": b"7",
    "unknown": b'{"nonsense": 1}',
    "binary": bytes(range(256)),
}
"""Files that no command means; there are also missing files, folders and circular links."""
KINDS = ("missing", "folder", "circle", *WRITTEN)
QUICK = {"missing", "folder", "malformed", "list"}
OPENED = {"missing", "folder", "circle"}
"""What cannot be opened as a file, whatever a command takes."""
CONTENTS = set(WRITTEN)

RAW = re.compile(
    r"Value error|Assertion failed|Input should|validation error|Field required|Extra inputs"
    r"|errors\.pydantic\.dev|Traceback|<class|codec can't|\[Errno|NoneType|has no attribute"
    r"|\b(?!Google|Inspect|Postman|Hoverfly|Wire|Open|Eval|Mock)[A-Z][a-z]+[A-Z][a-z]+\b"
)
"""Words of pydantic and of Python, and names of classes."""


@dataclass(frozen=True)
class Slot:
    """A command, with `{}` for its broken input.

    Attributes:
        line: The command; GOOD is a suite, CASSETTE and PLAN are such files.
        name: What the broken file is called; `suite` and `run` stand for such folders.
        allowed: Kinds that the command takes; of a suite, in its base.
        code: What it exits with.
        on_stdout: Whether problems are what the command prints, and may stand there alone.
        part: The only file of a suite that the command reads; empty for all.
    """

    line: str
    name: str
    allowed: frozenset[str] = frozenset()
    code: int = 2
    on_stdout: bool = False
    part: str = ""


def slot(line: str, name: str, allowed: set[str] | None = None, **more: bool | int | str) -> Slot:
    return Slot(line, name, frozenset(allowed or ()), **more)  # type: ignore[arg-type]


TAKES_ANY_TEXT = CONTENTS
SLOTS = [
    slot("mockserver serve --port 0 --fixtures {}", "suite"),
    slot("mockserver serve --port 0 --cassette {}", "c.yaml"),
    slot("mockserver serve --port 0 --fixtures GOOD --redaction {}", "r.yaml", {"empty"}),
    slot("mockserver serve --port 0 --token-file {}", "t.txt", CONTENTS - {"empty", "binary"}),
    slot("mockserver init --openapi {}", "o.yaml"),
    slot("mockserver init --openapi {}", "o.json"),
    slot("mockserver learn --cassette {} --suite out.yaml", "c.yaml"),
    slot("mockserver mcp {}", "suite"),
    slot("mockserver mcp GOOD --cassette {}", "c.yaml"),
    slot("mockserver apis --fixtures {}", "suite", part="apis/orders.yaml"),
    slot("mockserver drift {} CASSETTE", "a.yaml"),
    slot("mockserver drift {} CASSETTE", "a.json"),
    slot("mockserver drift CASSETTE {}", "a.yaml"),
    slot("mockserver drift CASSETTE --live {}", "p.yaml"),
    slot("mockserver drift CASSETTE --live PLAN --set project=p --credentials {}", "k.json"),
    slot("mockserver snapshot show {}", "suite", {"unknown"}),
    slot("mockserver snapshot explain {}", "suite", {"unknown"}),
    slot("mockserver snapshot diff {} EC-1", "suite", {"unknown"}),
    slot("mockserver snapshot lint {}", "suite", on_stdout=True),
    slot("mockserver snapshot from-cassette {} --suite made", "c.yaml"),
    slot("mockserver snapshot minimise {} --base GOOD --case X", "s.json"),
    slot("mockserver cassette show {}", "c.yaml"),
    slot("mockserver cassette diff {} CASSETTE", "c.yaml"),
    slot("mockserver cassette diff CASSETTE {}", "c.yaml"),
    slot("mockserver cassette redact {} out.yaml", "c.yaml"),
    slot("mockserver cassette redact CASSETTE made.yaml --redaction {}", "r.yaml", {"empty"}),
    slot("mockserver cassette import {} --to out.yaml", "c.yaml"),
    slot("mockserver cassette import {} --to out.yaml", "c.har"),
    slot("mockserver cassette export {} --to out.har", "c.yaml"),
    slot("mockserver cassette lint {}", "c.yaml", TAKES_ANY_TEXT),
    slot("mockserver cassette lint CASSETTE --redaction {}", "r.yaml", {"empty"}),
    slot("mockserver cassette stub {} GET http://x/y", "c.yaml", {"missing", "circle"}),
    slot("mockserver cassette stub CASSETTE POST http://x/y --body @{}", "d.json", CONTENTS),
    slot("mockserver redaction rules --redaction {}", "r.yaml", {"empty"}),
    slot("mockserver redaction test {}", "r.yaml", TAKES_ANY_TEXT),
    slot("mockserver redaction unseal {}", "r.sealed"),
    slot("mockserver capture google --plan {} --cassette o.yaml", "p.yaml"),
    slot("mockserver capture google --plan PLAN --set project=p --cassette o.yaml --credentials {}",
         "k.json"),
    slot("mockserver capture google --plan PLAN --set project=p --cassette o.yaml --redaction {}",
         "r.yaml", {"empty"}),
    slot("mockserver capture mcp --cassette o.yaml --url http://127.0.0.1:9 --redaction {}",
         "r.yaml", {"empty"}),
    slot("mockserver capture proxy --port 0 --forward --cassette o.yaml --redaction {}",
         "r.yaml", {"empty"}),
    slot("mockserver capture proxy --port 0 --forward --cassette o.yaml --upstream-ca {}", "c.pem"),
    slot("mockserver capture review {}", "c.yaml", CONTENTS),
    slot("mockserver record --cassette o.yaml --redaction {} -- true", "r.yaml", {"empty"}),
    slot("mockserver record --cassette o.yaml --upstream-ca {} -- true", "c.pem"),
    slot("harness run {} --agent echo", "suite"),
    slot("harness replay {} --agent echo", "suite"),
    slot("harness run GOOD --agent scripted:{}", "s.yaml"),
    slot("harness run GOOD --agent scripted:{}", "s.json"),
    slot("harness run GOOD --agent echo --faults-matrix {}", "f.yaml"),
    slot("harness run GOOD --agent echo --baseline {}", "b.json"),
    slot("harness run --resume {}", "run"),
    slot("harness recheck {}", "run"),
    slot("harness merge {}", "run"),
    slot("harness compare {} {}", "run"),
    slot("harness plan {}", "run"),
    slot("harness report {}", "run"),
    slot("harness promote {} TR-003", "run"),
    slot("harness baseline {}", "run"),
    slot("harness judge labels {}", "run"),
    slot("harness judge validate {}", "t.csv"),
    slot("harness show X --suite {}", "suite"),
    slot("harness visualize {}", "r.json"),
    slot("harness import {} --output imported", "suite"),
    *(slot("harness import-results {}", name)
      for name in ("r.json", "r.eval", "r.csv", "r.xml", "r.parquet")),
    *(slot(f"harness import-results {{}} --from {name}", "r.bin")
      for name in ("inspect", "promptfoo", "junit", "csv", "parquet", "otel")),
    slot("harness lint {}", "suite", on_stdout=True),
    slot("harness doctor {}", "suite"),
    slot("harness register {} --name n", "suite"),
    slot("harness runs --run-dir {}", "runs", {"missing", "folder"}),
    slot("harness runs list --run-dir {}", "runs", {"missing", "folder"}),
    slot("harness runs prune --keep 3 --run-dir {}", "runs", {"missing", "folder"}),
    slot("harness runs prune --keep 3 --db {}", "i.db", {"missing", "empty", "number"}, code=3),
    slot("harness runs upload {}", "run"),
    slot("harness list-suites {}", "suite", on_stdout=True),
    slot("harness new broken EC-099", "registry.json", {"missing", "folder"}),
    slot("harness explain {}/TR-003", "run"),
    slot("harness explain {}", "1.json"),
    slot("harness fork {}/TR-003", "run"),
    slot("harness fork {}", "1.json"),
    slot("harness side-by-side {} {}", "run"),
    slot("harness index update --run-dir {}", "runs", {"missing", "folder"}),
    slot("harness index update --db {}", "i.db", {"missing", "empty", "number"}, code=3),
    slot("harness runs --db {}", "i.db", {"missing", "empty", "number"}, code=3),
    slot("harness serve --port 0 --suites {}", "suites", {"folder"}),
]  # fmt: skip

PARTS = {
    "mockserver": ("base/orders.json", "apis/orders.yaml", "models/chat.yaml"),
    "harness": (
        "base/orders.json", "apis/orders.yaml", "cases/orders.yaml", "registry.json", "suite.json",
        "all.test.json",
    ),
}  # fmt: skip


SUITE = {
    "base/orders.json": '{"orders": {"orders": [{"id": "A1", "status": "open"}]}}',
    "apis/orders.yaml": "{api: orders, hosts: [orders.example.com], collections: {orders: {}}}",
    "cases/TR-003.yaml": "cases: [{id: TR-003, input: Hi., expect: {text: {contains: [hello]}}}]",
}
"""A suite with nothing wrong."""


@pytest.fixture(autouse=True)
def _work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(HttpServer, "run", _refuse_to_serve)
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", "a key of these tests")


def _refuse_to_serve(*_arguments: object, **_options: object) -> None:
    raise AssertionError("it was served")


def write(kind: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "folder":
        path.mkdir()
    elif kind == "circle":
        path.symlink_to(path.name)
    elif kind != "missing":
        path.write_bytes(WRITTEN[kind])


def is_tried(each: Slot, kind: str, part: str, place: int) -> bool:
    """Whether a command meets a broken file of a suite in this kind; what is quick, always.

    All commands read suites with one reader, so each takes a third of what it may meet: another
    third in each file of it, and another than the next command does.
    """
    turn = place + KINDS.index(kind) + crc32(each.line.encode())
    return is_quick(kind, part) or bool(each.part) or turn % 3 == 0


def is_quick(kind: str, part: str) -> bool:
    return kind in QUICK and part in {"", "base/orders.json", "cases/orders.yaml"}


def inputs(each: Slot) -> Iterator[tuple[str, str]]:
    """The kinds of broken input of a command: a kind, and which file of a folder is broken.

    Yields:
        Each once.
    """
    program = each.line.partition(" ")[0]
    match each.name:
        case "suite":
            yield from (("missing", ""), ("file", ""), ("folder", ""))
            parts = (each.part,) if each.part else PARTS[program]
            for place, part in enumerate(parts):
                taken = each.allowed if part.startswith("base/") else frozenset()
                kinds = [kind for kind in KINDS if kind not in {"missing", *taken}]
                yield from ((kind, part) for kind in kinds if is_tried(each, kind, part, place))
        case "run":
            yield "missing", ""
            yield from ((kind, "manifest.json") for kind in KINDS)
        case _:
            yield from ((kind, "") for kind in KINDS if kind not in each.allowed)


def run(line: str, value: str) -> tuple[int, str, str]:
    """Run a command as `main` does.

    Returns:
        Exit code, standard error, standard output.
    """
    for name, text in SUITE.items():
        file = Path("suite") / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    shutil.copy(ROOT / "cassettes" / "directory" / "orgunits.yaml", "good.yaml")
    named = {
        "GOOD": "suite",
        "CASSETTE": "good.yaml",
        "PLAN": str(ROOT / "cassettes" / "plans" / "sre.yaml"),
    }
    program, *words = [named.get(word, word).replace("{}", value) for word in shlex.split(line)]
    done = CliRunner().invoke(harness if program == "harness" else mockserver, words)
    if isinstance(done.exception, UserError):
        said = done.stderr + error_text(done.exception, program)
        return done.exception.exit_code, said, done.stdout
    assert isinstance(done.exception, SystemExit | None), repr(done.exception)
    return done.exit_code, done.stderr, done.stdout


TABLE = [
    pytest.param(
        each, kind, part,
        id=f"{each.line.replace('{}', part or each.name)}-{kind}",
        marks=() if is_quick(kind, part) else pytest.mark.slow,
    )
    for each in SLOTS
    for kind, part in inputs(each)
]  # fmt: skip


@pytest.mark.parametrize(("each", "kind", "part"), TABLE)
def test_broken_input_is_told_in_one_clear_error(each: Slot, kind: str, part: str) -> None:
    path = Path("broken") / each.name
    if kind == "file":
        write("text", path)
    elif part:
        write(kind, path / part)
    else:
        write(kind, path)
    code, errors, printed = run(each.line, str(path))
    told = errors + printed if each.on_stdout else errors
    assert code == each.code, (errors, printed)
    assert not RAW.search(told), RAW.search(told)
    assert (part or each.name) in told or str(path) in told, told
    assert len(errors.splitlines()) <= 12, errors


OPTIONS = {
    "mockserver schema nope": "nope",
    "mockserver apis nope": "nope",
    "mockserver env --format nope": "--format",
    "mockserver serve --clock nope": "--clock",
    "mockserver serve --auth nope": "--auth",
    "mockserver serve --profile nope": "--profile",
    "mockserver mcp --url http://127.0.0.1:9 --clock frozen": "leave out --clock and --seed",
    "mockserver serve --case nope --fixtures GOOD": "nope",
    "mockserver serve --cassette CASSETTE --repeats nope": "--repeats",
    "mockserver serve --cassette CASSETTE --match nope": "--match",
    "mockserver serve --cassette CASSETTE --barriers nope": "--barriers",
    "mockserver serve --cassette CASSETTE --pace nope": "--pace",
    "mockserver serve --cassette CASSETTE --pace -1": "--pace",
    "mockserver serve --seed nope": "--seed",
    "mockserver serve --port 99999999": "--port",
    "mockserver serve --log-format nope": "--log-format",
    "mockserver mcp --clock nope": "--clock",
    "mockserver drift CASSETTE CASSETTE --format nope": "nope",
    "mockserver drift CASSETTE CASSETTE --fail-on nope": "nope",
    "mockserver drift CASSETTE CASSETTE --max-age nope": "nope",
    "mockserver capture google --plan PLAN --set project=p --cassette o.yaml --mode nope": "--mode",
    "mockserver capture google --plan PLAN --cassette o.yaml --set nope": "nope",
    "mockserver capture proxy --forward --cassette o.yaml --mode nope": "nope",
    "mockserver capture proxy --cassette o.yaml --upstream nope": "--upstream",
    "mockserver capture mcp --cassette o.yaml --url nope": "URL",
    "mockserver capture mcp --cassette o.yaml": "--url",
    "mockserver cassette show CASSETTE 99": "99",
    "mockserver cassette import CASSETTE --to made.yaml --upstream nope": "--upstream",
    "mockserver cassette export CASSETTE --to x.nope": "x.nope",
    "mockserver cassette stub CASSETTE GET nope": "nope",
    "mockserver cassette stub CASSETTE GET http://x/y --status 9": "--status",
    "mockserver snapshot show GOOD nope": "nope",
    "mockserver snapshot show GOOD --case nope": "nope",
    "mockserver snapshot explain GOOD /nope": "/nope",
    "mockserver snapshot diff GOOD nope": "nope",
    "harness run GOOD --agent nope": "nope",
    "harness run GOOD --agent python:nope": "nope",
    "harness run GOOD --agent http:nope": "nope",
    "harness run GOOD --agent http:http://127.0.0.1:9 --profile nope": "nope",
    "harness run GOOD --agent command:true --input nope": "nope",
    "harness run GOOD --agent echo --header nope": "--header",
    "harness run GOOD --agent echo --env nope": "nope",
    "harness run GOOD --agent echo --ids nope": "nope",
    "harness run GOOD --agent echo --category nope": "nope",
    "harness run GOOD --agent echo --var nope": "nope",
    "harness run GOOD --agent echo --shard nope": "nope",
    "harness run GOOD --agent echo --perturb-tools nope": "nope",
    "harness run GOOD --agent echo --faults-matrix nope": "nope",
    "harness run GOOD --agent echo --barriers nope": "--barriers",
    "harness run GOOD --agent echo --match nope": "nope",
    "harness run GOOD --agent echo --policy nope": "nope",
    "harness run GOOD --agent echo --report nope": "nope",
    "harness run GOOD --agent echo --db nope://x": "nope",
    "harness run GOOD --agent echo --judge nope": "nope",
    "harness run GOOD --agent echo --baseline nope": "nope",
    "harness run GOOD --agent echo --trials 0": "--trials",
    "harness history nope": "nope",
    "harness regressions nope": "nope",
    "harness index nope": "nope",
    "harness index rebuild --db nope://x": "nope",
    "harness demo nope": "nope",
    "harness demo --flaw nope": "nope",
    "harness compare nope nope": "nope",
    "harness import GOOD --to nope": "nope",
    "harness show nope --suite GOOD": "nope",
    "harness new GOOD ../x": "../x",
    "harness explain nope": "no run",
    "harness fork nope": "no run",
    "harness fork nope --from nope": "--from",
    "harness side-by-side nope": "nope",
    "harness side-by-side nope --format nope": "unknown format 'nope'",
    "harness run GOOD --agent a2a:nope": "'nope'",
    "harness run GOOD --agent mcp:#nope": "mcp:#nope",
    "harness run GOOD --agent langgraph:nope": "nope",
    "harness run GOOD --agent crewai:nope": "nope",
    "harness run GOOD --agent claude-agent:nope": "nope",
    "harness run GOOD --agent command:true --sandbox nope": "nope",
    "harness run GOOD --agent echo --on nope": "nope",
    "harness run GOOD --agent echo --run-dir s3:/nope": "s3:/nope",
    "harness runs prune --older-than nope": "--older-than",
    "harness runs upload nope": "nope",
    "mockserver serve --redis nope": "'nope'",
    "mockserver serve --http-protocol nope": "--http-protocol",
    "mockserver env --url http://127.0.0.1:9 --credentials nope": "--credentials",
}
"""A command with a value that an option or argument does not take, and what the error names."""


@pytest.mark.parametrize(("line", "named"), OPTIONS.items(), ids=list(OPTIONS))
def test_a_value_that_is_none_is_told_with_its_option(line: str, named: str) -> None:
    code, errors, printed = run(line, "")
    assert code == 2, (errors, printed)
    assert named in errors
    assert not RAW.search(errors), RAW.search(errors)
