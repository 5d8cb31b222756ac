"""A few moments of each subject; `make chaos` has hundreds."""

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.chaos.faults import faults_of_files, faults_of_redis
from tests.chaos.redises import Redises
from tests.chaos.servers import MockProcess
from tests.chaos.strikes import STRIKES, Disk, nothing

STRUCK: Mapping[str, Sequence[str]] = {
    "harness run": (
        "kill -9", "power cut", "Ctrl-C", "disk full", "read-only", "I/O error", "slow disk",
        "no descriptors", "no memory", "clock jumps", "mock server kill -9",
        "worker stands still", "worker comes back", "mock server, no descriptors",
        "half-open connections",
    ),
    "stored run": ("answers are lost", "store goes away"),
    "capture": (),
    "index": (),
    "shared server": (
        "worker kill -9, files", "server kill -9, files", "worker kill -9, Redis",
        "server kill -9, Redis", "Redis kill -9", "Redis loses a second",
        "Redis and a worker kill -9", "Redis fails over", "clocks an hour apart",
        "connections break",
    ),
}  # fmt: skip
"""Subjects to how they are struck: each strike once, or six moments of all that there are."""

KILLS = 50

PROMISES = Path(__file__).parents[2] / "docs" / "how-to" / "share-one-mock-server.md"


def strike(*options: str, moments: int) -> None:
    command = [sys.executable, "-m", "tests.chaos", "--seed", "7", "--moments", str(moments)]
    command += ["--late", "90"]  # a busy machine is no finding
    finished = subprocess.run(
        [*command, *options],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stdout + finished.stderr[-2000:]
    assert finished.stdout.splitlines()[-1].startswith(f"| all |  | {moments} | 0 | 0 |")


@pytest.mark.slow
@pytest.mark.parametrize("subject", STRUCK)
def test_what_is_struck_and_mended_is_as_if_it_had_not_been(subject: str) -> None:
    """Nothing finished is lost, nothing half-written is read, reports are those of a calm run."""
    names = [f"--strike={name}" for name in STRUCK[subject]]
    strike("--only", subject, *names, moments=len(names) or 6)


@pytest.mark.slow
def test_a_run_that_was_killed_and_resumed_gives_the_report_of_one_that_was_not() -> None:
    """Pitfall 12, at fifty random moments; no finished trial is lost, none is made twice."""
    strike("--only", "harness run", "--strike", "kill -9", moments=KILLS)


@pytest.mark.parametrize(("path", "watched"), [("runs/a.json", True), ("else/a.json", False)])
def test_only_what_lies_in_the_folder_is_counted(tmp_path: Path, path: str, watched: bool) -> None:
    disk = Disk(str(tmp_path / "runs"), nothing)
    assert bool(disk.watches(tmp_path / path)) is watched
    assert disk.watches(7) == ""


def test_each_promise_of_shared_servers_has_its_strike_and_each_strike_its_promise(
    tmp_path: Path,
) -> None:
    server, redises = MockProcess(tmp_path), Redises("redis-server", tmp_path, tmp_path)
    redises.has_own_disks = True
    faults = [*faults_of_files(server), *faults_of_redis(server, redises)]
    text = PROMISES.read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (?:files|Redis).*\| (.+?) \| .+? \| .+? \| `(.+)` \|$", text, re.MULTILINE
    )
    assert sorted(name for _, name in rows) == sorted(each.name for each in faults)
    lossy = {name for lost, name in rows if not lost.endswith("nothing") and "`" not in lost}
    assert lossy == {each.name for each in faults if each.loses is not None}
    for wire in redises.wires:
        wire.stop()


def test_every_strike_says_what_it_is() -> None:
    assert all(strike.__doc__ for strike in STRIKES.values())
