import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest
from typing_extensions import override

from harness.agents import AgentFailedError, AgentUnreachableError, processes
from harness.agents.processes import (
    MARK,
    Command,
    Limits,
    _drain,
    _Watch,
    kill_marked,
    new_mark,
    run_process,
)
from tests.patience import PATIENCE_S, until

LIMITS = Limits(stdout_bytes=1000, grace_s=0.2)


def python(script: str, folder: Path, stdin: bytes = b"") -> Command:
    return Command([sys.executable, "-c", script], stdin, dict(os.environ), folder)


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split()[2]
    except OSError:
        return False
    return state != "Z"


async def until_dead(pid: int) -> None:
    await until(lambda: not is_alive(pid), f"the end of process {pid}")


async def test_a_process_reads_stdin_and_runs_in_its_folder(tmp_path: Path) -> None:
    script = (
        "import os,sys; print(sys.stdin.read(), os.getcwd()); sys.stderr.write('e'); sys.exit(3)"
    )
    ended = await run_process(python(script, tmp_path, b"hello"), LIMITS)
    assert ended.stdout.decode() == f"hello {tmp_path}\n"
    assert (ended.exit_code, ended.stderr_tail) == (3, "e")


async def test_only_the_tail_of_stderr_is_kept(tmp_path: Path) -> None:
    script = "import sys; sys.stderr.write('x' * 100_000 + 'end')"
    tail = (await run_process(python(script, tmp_path), LIMITS)).stderr_tail
    assert len(tail) == 4096
    assert tail.endswith("xend")


async def test_a_process_need_not_read_a_long_stdin(tmp_path: Path) -> None:
    ended = await run_process(python("print('ok')", tmp_path, b"x" * 1_000_000), LIMITS)
    assert ended.stdout == b"ok\n"


async def test_a_flood_is_stopped_without_being_kept(tmp_path: Path) -> None:
    script = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
    with pytest.raises(AgentFailedError, match="more than 1000 bytes"):
        async with asyncio.timeout(PATIENCE_S):
            await run_process(python(script, tmp_path), LIMITS)


class Quiet(asyncio.Event):
    """Nothing ends, and so many times something comes while that is waited for."""

    def __init__(self, watch: _Watch, times: int) -> None:
        super().__init__()
        self.watch, self.times, self.waits = watch, times, 0

    @override
    async def wait(self) -> Literal[True]:
        self.waits += 1
        if self.waits <= self.times:
            self.watch.pipe_data_received(1, b"x")
        raise TimeoutError


@pytest.mark.parametrize(("times", "waits"), [(0, 1), (3, 4), (10**9, 20)])
async def test_output_is_read_until_nothing_comes_any_more(times: int, waits: int) -> None:
    """However slow the machine is; but a child that never falls silent is not heard for ever."""
    watch = _Watch(1000)
    quiet = watch.drained = Quiet(watch, times)
    await _drain(watch)
    assert quiet.waits == waits
    assert len(watch.stdout) == min(times, waits)


async def test_a_program_that_is_not_there_is_unreachable(tmp_path: Path) -> None:
    with pytest.raises(AgentUnreachableError, match="cannot start 'no-such-program'"):
        await run_process(Command(["no-such-program"], b"", {}, tmp_path), LIMITS)


async def test_cancelling_ends_a_group_that_ignores_sigterm(tmp_path: Path) -> None:
    """The whole group goes: the process, which ignores SIGTERM, and its child."""
    script = (
        "import os,signal,subprocess,sys,time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "open('pids', 'w').write(f'{os.getpid()} {child.pid}'); os.rename('pids', 'ready')\n"
        "time.sleep(600)"
    )
    task = asyncio.create_task(run_process(python(script, tmp_path), LIMITS))
    await until((tmp_path / "ready").exists)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    for pid in (tmp_path / "ready").read_text(encoding="utf-8").split():
        await until_dead(int(pid))


@pytest.mark.slow
async def test_a_child_that_outlives_its_parent_does_not_hold_the_trial(tmp_path: Path) -> None:
    script = (
        "import subprocess,sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(child.pid)"
    )
    async with asyncio.timeout(PATIENCE_S):  # far less than the child would take
        ended = await run_process(python(script, tmp_path), LIMITS)
    await until_dead(int(ended.stdout))


@pytest.mark.slow
async def test_a_child_that_left_the_group_does_not_hold_the_trial_either(tmp_path: Path) -> None:
    script = (
        "import subprocess,sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'],"
        " start_new_session=True)\n"
        "print(child.pid)"
    )
    async with asyncio.timeout(PATIENCE_S):  # far less than the child would take
        ended = await run_process(python(script, tmp_path), LIMITS)
    os.kill(int(ended.stdout), signal.SIGKILL)


DAEMON = """
import subprocess, sys
child = subprocess.Popen(
    [sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True,
    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
)
print(child.pid)
"""


async def test_a_child_that_left_the_group_does_not_survive_its_agent(tmp_path: Path) -> None:
    """Pitfall 14: setsid is no way out."""
    ended = await run_process(python(DAEMON, tmp_path), LIMITS)
    await until_dead(int(ended.stdout))


def test_only_what_bears_the_mark_is_killed() -> None:
    ours, theirs = new_mark(), new_mark()
    first, second = _sleeping(ours), _sleeping(theirs)
    assert kill_marked(ours) == 1
    assert first.wait(PATIENCE_S) == -9
    assert second.poll() is None
    assert (kill_marked(theirs), kill_marked(theirs)) == (1, 0)
    second.wait(PATIENCE_S)
    for process in (first, second):
        assert process.stdout is not None
        process.stdout.close()


def _sleeping(mark: str) -> subprocess.Popen[bytes]:
    """A process that is up: before, its environment may still be that of its parent."""
    script = "import time; print('up', flush=True); time.sleep(600)"
    process = subprocess.Popen(
        [sys.executable, "-c", script], env={**os.environ, MARK: mark}, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_where_there_is_no_proc_nothing_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(processes, "_PROC", tmp_path / "none")
    assert kill_marked("x") == 0
    monkeypatch.setattr(processes, "_PROC", tmp_path)
    (tmp_path / "77").mkdir()
    assert kill_marked("x") == 0
