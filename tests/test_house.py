"""What otherwise decays: the tree of tests, the faces, the sizes, the rows that must be proven."""

import ast
import importlib
import re
from pathlib import Path

import pytest

from mockserver.apis import APIS
from mockserver.cassettes.files import read_cassette, write_cassette
from mockserver.cassettes.leaks import file_leaks
from mockserver.redaction import RuleSet, find_leaks
from mockserver.storage.redaction_settings import redaction_rules
from tests.requirements import NOT_PROVEN, PAGE, ids_in, proofs, rows, written

ROOT = Path(__file__).parents[1]
MODULES = [
    path.relative_to(ROOT)
    for package in ("mockserver", "harness")
    for path in sorted((ROOT / package).rglob("*.py"))
]
CASSETTES = [
    path.relative_to(ROOT)
    for path in sorted((ROOT / "cassettes").rglob("*"))
    if path.suffix in {".yaml", ".json"} and path.parent.name != "plans"
] + [path.relative_to(ROOT) for path in sorted((ROOT / "fixtures").glob("*/cassettes/*"))]
FACES = [path for path in MODULES if path.name == "__init__.py"]
TESTS = [
    path.relative_to(ROOT)
    for path in sorted((ROOT / "tests").rglob("*.py"))
    if not {"benchmarks", "programs"} & set(path.relative_to(ROOT).parts)
]
"""Not those that measure, nor the programs that tests run."""

ROOMS = sorted({path.parent for path in MODULES if len(path.parts) == 3})
OTHER_NAMES = re.compile(
    r"\b(?:(?:first|second|third|fourth|four) seeds?(?:'s?)?\b|seed[ _]documents?\b"
    r"|seed'?s?[ _](?:format|layout|suite|file|field|tool|system|spelling)s?\b)",
    re.IGNORECASE,
)
"""Names of the four suites' formats that are not theirs: chrome, review, coding and sre."""

CLOCKS = {
    "tests/patience.py": "ends what would hang",
    "tests/acceptance/shared_sessions.py": "says how long it took, and ends what would hang",
    "tests/chaos/indexes.py": "kills at some moment of an update, whichever",
    "tests/chaos/loans.py": "orders what clients ask and are answered",
    "tests/chaos/redises.py": "loses what came in the last second",
    "tests/chaos/shared.py": "finds answers that take as long as nothing should",
    "tests/chaos/soak.py": "strikes each minute",
    "tests/chaos/strikes.py": "puts the clock back",
    "tests/mutants/__main__.py": "begins no further mutant when its time is up",
    "tests/mockserver/sources/test_playback.py": "at least as long as recorded; no upper limit",
}
"""Tests that read a clock, and what for."""

SHORT_LIMITS = {
    "tests/harness/agents/test_function.py": "a function that hangs",
    "tests/harness/agents/test_agent_server.py": "a server that never listens",
    "tests/mockserver/fronts/grpc/test_calls.py": "a caller's deadline",
    "tests/mockserver/http/test_hermetic.py": "a connection that is not made",
    "tests/mockserver/models/test_model_faults_sdks.py": "a model that answers too late",
}
"""Tests with a limit that is to pass, because nothing comes."""

PAUSES = {
    "tests/patience.py": "between two looks",
    "tests/acceptance/canary.py": "between the pieces of an answer",
    "tests/acceptance/shared_sessions.py": "between two kills, and before a request is sent again",
    "tests/acceptance/test_canary_clients.py": "between two looks at files that are written",
    "tests/chaos/indexes.py": "before a kill, at any moment",
    "tests/chaos/redises.py": "between two looks at a file",
    "tests/chaos/shared.py": "between two tries, and before a second is lost",
    "tests/chaos/soak.py": "between two samples, and two tries",
    "tests/chaos/strikes.py": "a slow disk",
    "tests/mockserver/shared/test_waits.py": "a client that hangs",
    "tests/mockserver/capture/test_exchange.py": "a gap, which is recorded as at least as long",
}
"""Tests that sleep, and why."""

LIMIT_NAMES = {"timeout", "wait_s"}
FOR_EVER_S = 600
"""What sleeps so long is to be stopped by somebody else."""


@pytest.mark.parametrize("room", ROOMS, ids=str)
def test_every_room_has_its_tests(room: Path) -> None:
    """Tests mirror rooms: a folder of tests for each folder with code, whatever its files."""
    tests = ROOT / "tests" / room
    assert list(tests.rglob("test_*.py"))


@pytest.mark.parametrize("face", FACES, ids=str)
def test_a_face_names_what_exists_and_holds_no_code(face: Path) -> None:
    tree = ast.parse((ROOT / face).read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), "a face begins with a sentence"
    functions = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    assert functions == [], "classes live in modules of their own"
    name = ".".join(face.parent.parts)
    module = importlib.import_module(name)
    exported = getattr(module, "__all__", [])
    assert list(exported) == sorted(exported, key=_ruff_order)
    for item in exported:
        assert hasattr(module, item)


def _ruff_order(name: str) -> tuple[int, str]:
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def test_every_requirement_is_proven_or_says_why_not() -> None:
    """Mend the page with `python -m tests.requirements`, and read what it changed."""
    text = PAGE.read_text(encoding="utf-8")
    proven, listed = proofs(), rows(text)
    ids = [row.id for row in listed]
    assert len(ids) == len(set(ids)) > 200
    assert sorted(set(proven) - set(ids)) == [], "named by a test, and not on the page"
    unproven = {row.id: row.proof for row in listed if row.id not in proven}
    assert {id: why for id, why in unproven.items() if not why.startswith(NOT_PROVEN)} == {}
    assert text == written(text, proven), "run: python -m tests.requirements"


def test_requirements_are_read_and_written_as_they_stand() -> None:
    page = "| CEP-01 | A. | old |\n\n| CEP-02 | B. | not built: not asked for |\n"
    assert list(ids_in("CEP-09, CSRR-01..03: and CEPR-30.")) == [
        "CEP-09", "CSRR-01", "CSRR-02", "CSRR-03", "CEPR-30",
    ]  # fmt: skip
    assert written(page, {"CEP-01": ["test_a.py::test_b"]}) == page.replace(
        "old", "`test_a.py::test_b`"
    )


@pytest.mark.parametrize("cassette", CASSETTES, ids=str)
def test_every_cassette_loads_and_comes_back_as_it_was(cassette: Path, tmp_path: Path) -> None:
    held = read_cassette(ROOT / cassette)
    assert held.interactions
    write_cassette(held, tmp_path / cassette.name)
    assert (tmp_path / cassette.name).read_bytes() == (ROOT / cassette).read_bytes()


@pytest.mark.parametrize("cassette", CASSETTES, ids=str)
def test_no_cassette_leaks(cassette: Path) -> None:
    """CEP-65: what a capture committed holds no e-mail, customer id, address or hash of anybody."""
    rules = RuleSet.default().with_rules_before(rule for api in APIS for rule in api.redaction())
    assert file_leaks(ROOT / cassette, rules) == ()


def test_no_fixture_leaks() -> None:
    """Fixtures are invented; what no fixture may hold all the same is in their redaction.yaml."""
    rules = redaction_rules(ROOT / "fixtures" / "redaction.yaml")
    leaks = {
        str(path): find_leaks(path.read_bytes(), rules=rules)
        for path in sorted((ROOT / "fixtures").rglob("*.*"))
        if path.is_file() and path.suffix != ".pyc"  # which agents leave that tests import
    }
    assert {path: found for path, found in leaks.items() if found} == {}


def test_the_top_of_the_tree_holds_what_it_should() -> None:
    known = {
        "CHANGELOG.md", "LICENSE", "Makefile", "README.md", "cassettes", "constraints.txt",
        "docs", "fixtures", "harness", "mockserver", "pyproject.toml", "tests",
    }  # fmt: skip
    made = {"runs", "build", "dist"}
    top = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert {name for name in top if not name.endswith(".egg-info")} - made <= known


@pytest.mark.parametrize("folder", ["mockserver", "harness", "tests", "docs", "fixtures", "."])
def test_the_formats_have_one_name_each(folder: str) -> None:
    """A seed is where random numbers come from, and nothing else."""
    paths = (ROOT / folder).glob("*.*" if folder == "." else "**/*.*")
    texts = {
        str(path.relative_to(ROOT)): f"{path.name}\n{path.read_text('utf-8', errors='replace')}"
        for path in sorted(paths)
        if path.suffix in {".py", ".md", ".json", ".yaml", ".toml", ".html", ".txt", ".log"}
    }
    assert {
        path: OTHER_NAMES.findall(text) for path, text in texts.items() if OTHER_NAMES.search(text)
    } == {}


def test_no_text_holds_what_a_merge_left() -> None:
    marks = re.compile(rb"^(?:<{7}|>{7}) ", re.MULTILINE)
    folders = [ROOT / name for name in ("docs", "mockserver", "harness", "tests", ".github", ".ci")]
    texts = [*ROOT.glob("*.*"), *(path for folder in folders for path in folder.rglob("*"))]
    kinds = {".md", ".py", ".yml", ".yaml", ".toml", ""}
    files = [path for path in texts if path.suffix in kinds and path.is_file()]
    assert [path.name for path in files if marks.search(path.read_bytes())] == []


def test_no_test_hangs_on_how_fast_a_machine_is() -> None:
    """Wait with tests/patience.py: `PATIENCE_S`, `until`, `wait_until`, `settle`."""
    found = [
        f"{path}:{call.lineno}: {why}"
        for path in TESTS
        for call in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and (why := _hurry(call, str(path)))
    ]
    assert found == []


def _hurry(call: ast.Call, path: str) -> str:
    """Why a call may fail where a machine is busy, or an empty string."""
    last = getattr(call.func, "attr", getattr(call.func, "id", ""))
    limits = [keyword.value for keyword in call.keywords if keyword.arg in LIMIT_NAMES]
    if last in {"timeout", "wait_for", "wait", "join"}:
        limits += call.args[-1:]
    if (
        last in {"perf_counter", "monotonic"} or ast.unparse(call.func) == "time.time"
    ) and path not in CLOCKS:
        return "no test reads a clock"
    if any(0 < _number(each) < 60 for each in limits) and path not in SHORT_LIMITS:
        return "wait for PATIENCE_S, which is of tests/patience.py"
    pauses = call.args if last == "sleep" else []
    if any(0 < _number(each) < FOR_EVER_S for each in pauses) and path not in PAUSES:
        return "wait until something holds, with tests/patience.py"
    return ""


def _number(node: ast.expr) -> float:
    """A number as it is written, or 0."""
    value = node.value if isinstance(node, ast.Constant) else 0
    return value if isinstance(value, int | float) else 0


def test_what_waits_is_listed_only_where_it_does() -> None:
    known = {str(path) for path in TESTS}
    assert {*CLOCKS, *SHORT_LIMITS, *PAUSES} - known == set()
