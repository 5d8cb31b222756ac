"""Runs over workers: the run directory is that of one machine, and lost workers cost nothing."""

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.commands import HARNESS, clean_environment, harness
from tests.clusters import Cluster, packages_of_ray, ray_cluster
from tests.patience import PATIENCE_S, wait_until

SUITE = Path(__file__).parents[2] / "fixtures" / "travel"
PLAIN = ("run", "suite", "--agent", "oracle", "--ids", "TR-001,TR-002", "--replay")
RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")
MOMENTS = {"at", "run", "runId", "startedAt", "started_at", "folder"}
DURATIONS = re.compile(r"_ms$|Ms$|^latency$|^durations?$")


def lasting(value: Any) -> Any:
    """A document without what any two runs differ in: durations, moments, the name of the run."""
    if isinstance(value, dict):
        if "p95" in value:
            return "latencies"
        return {
            name: lasting(item)
            for name, item in value.items()
            if not DURATIONS.search(name) and name not in MOMENTS
        }
    return [lasting(each) for each in value] if isinstance(value, list) else value


def contents(run: Path) -> dict[str, Any]:
    """The files of a run by name; journals of sessions and reports word for word."""
    found: dict[str, Any] = {}
    for path in sorted(each for each in run.rglob("*") if each.is_file()):
        text, name = path.read_text(encoding="utf-8"), path.relative_to(run).as_posix()
        if path.suffix == ".json":
            found[name] = json.dumps(lasting(json.loads(text)))  # in the order of the file
        elif path.suffix != ".xml":  # its times are durations
            found[name] = RUN_ID.sub("RUN", text)
        else:
            found[name] = re.sub(r'time(stamp)?="[^"]*"|\d+\.\d+ s"', "", RUN_ID.sub("RUN", text))
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(SUITE, tmp_path / "suite")
    return tmp_path


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    packages = packages_of_ray()
    if isinstance(packages, str):
        pytest.skip(packages)
    with ray_cluster(packages) as started:
        yield started


def runs(folder: Path) -> list[Path]:
    return sorted(path.parent for path in folder.glob("runs/*/manifest.json"))


@pytest.mark.slow
def test_a_run_over_processes_leaves_what_one_without_leaves(folder: Path) -> None:
    for more in ((), ("--on", "processes:3")):
        finished = harness(folder, *PLAIN, "-n", "6", *more)
        assert finished.code == 0, finished.said
    one, spread = map(contents, runs(folder))
    assert one.keys() == spread.keys()
    assert one == spread


@pytest.mark.slow
def test_two_hundred_trials_over_a_cluster_survive_two_killed_workers(
    folder: Path, cluster: Cluster
) -> None:
    home = harness(folder, *PLAIN, "-n", "100")
    assert home.code == 0, home.said
    command = (*PLAIN, "-n", "100", "--on", f"ray:{cluster.address}")
    running = subprocess.Popen(
        [*HARNESS, *command],
        cwd=folder,
        env=clean_environment(**cluster.environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    wait_until(lambda: len(runs(folder)) == 2, "the second run")
    spread = runs(folder)[1]
    for done in (20, 60):
        kill_a_worker(cluster, partial(has_trials, spread, done))
    said, _ = running.communicate(timeout=2 * PATIENCE_S)
    assert running.returncode == 0, said
    assert len(re.findall(r"warning: lost worker \d+ on ", said)) == 2
    assert contents(spread) == contents(home.run if home.run != spread else runs(folder)[0])
    assert not cluster.workers()


def trials_in(run: Path) -> int:
    return sum(1 for _ in run.glob("trials/*/*.json"))


def has_trials(run: Path, count: int) -> bool:
    return trials_in(run) >= count


def kill_a_worker(cluster: Cluster, when: Callable[[], bool]) -> None:
    wait_until(when, "enough trials")
    os.kill(cluster.workers()[0], signal.SIGKILL)


@pytest.mark.slow
def test_agent_code_travels_and_secrets_stay(folder: Path, cluster: Cluster) -> None:
    agent = (
        "import os, pathlib\n"
        "here = pathlib.Path(__file__).parent\n"
        "print(sorted(each.name for each in here.iterdir()), os.environ['KEY'])\n"
    )
    (folder / "agent.py").write_text(agent, encoding="utf-8")
    (folder / ".env").write_text("KEY=of-the-file", encoding="utf-8")
    told = ("--agent", "command:python3 agent.py", "--ids", "TR-001", "--env", "KEY=told")
    finished = harness(
        folder, "run", "suite", *told, "--on", f"ray:{cluster.address}", **cluster.environment
    )
    assert finished.code == 1, finished.said
    assert finished.trial("TR-001")["replies"][0]["text"] == "['agent.py', 'suite'] told"
    assert "told" not in (finished.run / "manifest.json").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("on", ["processes:2", "ray"])
def test_an_interrupted_run_is_finished_elsewhere(folder: Path, on: str, cluster: Cluster) -> None:
    on = f"ray:{cluster.address}" if on == "ray" else on
    environment = clean_environment(**cluster.environment)
    running = subprocess.Popen(
        [*HARNESS, *PLAIN, "-n", "30", "-j", "1", "--on", on],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    wait_until(lambda: runs(folder) and trials_in(runs(folder)[0]) > 3, "some trials")
    running.send_signal(signal.SIGINT)
    said, _ = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 130, said
    (run,) = runs(folder)
    done = {path: path.stat().st_mtime_ns for path in run.glob("trials/*/*.json")}
    assert 3 < len(done) < 60
    finished = harness(folder, "run", "--resume", run.name)
    assert finished.code == 0, finished.said
    assert {path: path.stat().st_mtime_ns for path in done} == done
    assert trials_in(run) == 60
