import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.agents import escapes
from harness.agents.escapes import MARK, kill_marked, new_mark
from harness.agents.processes import run_process
from tests.harness.agents.test_processes import LIMITS, python, until_dead
from tests.patience import PATIENCE_S

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
    monkeypatch.setattr(escapes, "_PROC", tmp_path / "none")
    assert kill_marked("x") == 0
    monkeypatch.setattr(escapes, "_PROC", tmp_path)
    (tmp_path / "77").mkdir()
    assert kill_marked("x") == 0
