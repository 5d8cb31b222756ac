"""Run directories, baselines and lists as earlier versions of this program wrote them.

Each folder of `earlier/` is of one version, the oldest first; the agent says hello in one case, and
suspends a user in the other.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.runner import BaselineGate, decide, read_baseline
from harness.statistics import Terms
from harness.storage import Baselines, RegisteredSuites, RunFolder
from harness.verdicts import Limits

EARLIER = sorted(Path(__file__).with_name("earlier").iterdir())
PASSED = [("GREET", "passed"), ("SUSPEND", "passed")]


@pytest.fixture(params=EARLIER, ids=lambda path: path.name)
def earlier(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """What one version left, in a place where it may be changed."""
    return Path(shutil.copytree(request.param, tmp_path / "earlier"))


def test_a_run_is_read_and_decided_as_it_was(earlier: Path) -> None:
    folder = RunFolder(earlier / "run")
    kept = folder.decisions(folder.manifest().policy)
    result = decide(folder, Limits())
    assert kept is not None
    assert [(each.case, each.verdict) for each in kept] == PASSED
    assert [(each.case, each.verdict) for each in result.decisions] == PASSED


def test_all_that_a_trial_left_is_read(earlier: Path) -> None:
    record = RunFolder(earlier / "run").records().get("SUSPEND", 1)
    assert record is not None
    [reply], [entry] = record.replies, record.journal.entries
    assert (reply.prompt, reply.text) == ("Suspend Ann.", "Ann is suspended.")
    assert [(each.name, each.args, each.result) for each in reply.tool_calls] == [
        ("suspend_user", {"user": "ann@example.com"}, True)
    ]
    assert (entry.method_id, entry.status, entry.body) == (
        "directory.users.update", 200, {"suspended": True},
    )  # fmt: skip
    assert json.loads(record.journal.bodies[entry.response_ref])["suspended"] is True
    changed = record.state_diff["users"]["changed"]["1"]
    assert (changed["before"]["suspended"], changed["after"]["suspended"]) == (False, True)


def test_a_later_run_is_held_against_an_earlier_baseline(earlier: Path) -> None:
    gate = BaselineGate(read_baseline(earlier / "baseline.json"), Terms())
    result = decide(RunFolder(earlier / "run"), Limits(), gate)
    assert not result.exit_reasons


def test_lists_of_baselines_and_suites_are_read(earlier: Path) -> None:
    [*_, newest] = Baselines(earlier).all()
    assert (newest.suite, newest.agent, newest.note) == ("su", "python:agent:run", "first")
    assert [(each.name, each.path) for each in RegisteredSuites(earlier).all()] == [("su", "su")]


def test_decisions_of_version_1_are_read(earlier: Path) -> None:
    (path,) = (earlier / "run/decisions").iterdir()
    path.write_text(json.dumps(json.loads(path.read_bytes())["decisions"]), encoding="utf-8")
    result = decide(RunFolder(earlier / "run"), Limits())
    assert [each.verdict for each in result.decisions] == ["passed", "passed"]


def _decide(folder: Path) -> object:
    return decide(RunFolder(folder / "run"), Limits())


@pytest.mark.parametrize(
    ("file", "use"),
    [
        ("run/manifest.json", _decide),
        ("run/trials/GREET/1.json", _decide),
        ("run/canaries.json", lambda folder: RunFolder(folder / "run").canaries()),
        ("baseline.json", lambda folder: read_baseline(folder / "baseline.json")),
        ("baselines.json", lambda folder: Baselines(folder).remove("1")),
        ("suites.json", lambda folder: RegisteredSuites(folder).all()),
    ],
)
def test_a_file_of_a_later_version_is_refused_with_what_to_do_and_stays(
    tmp_path: Path, file: str, use: Callable[[Path], object]
) -> None:
    folder = Path(shutil.copytree(EARLIER[-1], tmp_path / "earlier"))
    path = folder / file
    held = json.loads(path.read_bytes())
    later = held if isinstance(held, dict) else {"entries": held}
    content = json.dumps(later | {"version": 99}).encode()
    path.write_bytes(content)
    with pytest.raises(HarnessError, match="version 99") as refused:
        use(folder)
    assert "install that one" in f"{refused.value} {refused.value.hint}"
    assert path.read_bytes() == content
