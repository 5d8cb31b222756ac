"""A local cluster of Ray for tests, whose packages are in a folder of their own; its CPU."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from tests.clients.packages import packages_of
from tests.patience import PATIENCE_S, wait_until
from tests.ports import free_port

RAY = "2.60.0"
_PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK")


def packages_of_ray() -> Path | str:
    """The folder of Ray's packages, or why there is none; what ours also need is of our version."""
    ours = (f"{name}=={version(name)}" for name in ("jsonschema", "protobuf", "pyyaml"))
    return packages_of("ray-1", f"ray=={RAY}", *ours)


@dataclass(frozen=True)
class Cluster:
    """A cluster that runs.

    Attributes:
        address: As `--on ray:` takes it.
        environment: What leads a program to Ray's packages.
        folder: Where its processes write.
    """

    address: str
    environment: dict[str, str]
    folder: Path

    def workers(self) -> list[int]:
        """The processes of our workers, in the order in which they started."""
        return sorted(
            pid
            for pid, command in _commands()
            if command.startswith("ray::") and "RayChild" in command
        )

    def cpu_seconds(self) -> dict[str, float]:
        """CPU of the raylet and of each process below it that is there now, as workers are.

        Raylets do not wait for their processes, so nothing is known of those that have ended.
        """
        raylets = [
            pid
            for pid, command in _commands()
            if "/raylet/raylet " in command and str(self.folder) in command
        ]
        return {name: seconds for pid in raylets for name, seconds in tree_cpu_seconds(pid)}


@contextmanager
def ray_cluster(packages: Path, cpus: int = 4) -> Iterator[Cluster]:
    """A cluster of one machine that has so many CPUs to give.

    Yields:
        The cluster; it is stopped after the block.
    """
    folder = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))  # paths of sockets must be short
    environment = {
        "PYTHONPATH": os.pathsep.join(
            (str(packages), *filter(None, [os.environ.get("PYTHONPATH")]))
        ),
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    port = free_port()
    command = [
        sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block",
        "--num-cpus", str(cpus), "--port", str(port), "--temp-dir", str(folder),
        "--node-ip-address", "127.0.0.1", "--include-dashboard", "false",
        "--min-worker-port", "0", "--max-worker-port", "0",
        "--ray-client-server-port", str(free_port()),
        "--object-store-memory", "100000000", "--disable-usage-stats",
    ]  # fmt: skip
    log = folder / "start.log"
    with log.open("wb") as messages:
        head = subprocess.Popen(
            command,
            env=os.environ | environment,
            stdout=messages,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        wait_until(
            lambda: b"Ray runtime started" in log.read_bytes() or head.poll() is not None, "Ray"
        )
        assert head.poll() is None, log.read_text(encoding="utf-8")
        yield Cluster(f"127.0.0.1:{port}", environment, folder)
    finally:
        head.terminate()
        with suppress(subprocess.TimeoutExpired):
            head.wait(PATIENCE_S)
        for pid, command_line in _commands():
            if str(folder) in command_line and pid != os.getpid():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)


def tree_cpu_seconds(pid: int) -> Iterator[tuple[str, float]]:
    """CPU of a process and of those below it.

    Yields:
        A name that no other process has, and its seconds.
    """
    known = {each: fields for each in _pids() if (fields := _stat(each))}
    below, found = {pid}, {pid}
    while below:
        below = {each for each, fields in known.items() if int(fields[1]) in below} - found
        found |= below
    for each in found & known.keys():
        fields = known[each]
        yield f"{each}-{fields[19]}", sum(map(int, fields[11:13])) / _TICKS


def _pids() -> list[int]:
    return [int(path.name) for path in _PROC.iterdir() if path.name.isdigit()]


def _stat(pid: int) -> list[str]:
    """What follows the name in a process's `stat`: state, parent, ..."""
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


def _commands() -> list[tuple[int, str]]:
    found = []
    for pid in _pids():
        with suppress(OSError):
            raw = (_PROC / str(pid) / "cmdline").read_bytes()
            found.append((pid, raw.replace(b"\0", b" ").decode("utf-8", "replace")))
    return found
