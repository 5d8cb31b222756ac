import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.agents import AgentFailedError, AgentUnreachableError, Transcript
from harness.agents.sandbox import SandboxOptions, read_sandbox
from harness.errors import HarnessError, InfrastructureError
from tests.patience import until


def _obstacle() -> str:
    try:
        read_sandbox(SandboxOptions("bubblewrap"), os.environ).check()
    except InfrastructureError as error:
        return error.message
    return ""


OBSTACLE = _obstacle()
needs_bubblewrap = pytest.mark.skipif(bool(OBSTACLE), reason=OBSTACLE or "none")

REFUSED = (
    "internet", "name", "other port", "other port on IPv6", "machine's sockets", "ssh key",
    "shadow", "env file", "project file", "system file", "root", "sysctl", "process outside",
    "mount", "own namespaces", "secret",
)  # fmt: skip
SEEN = {
    "home": [],
    "suite": [],
    "kernel files": [],
    "set-user-id": "1",
    "capabilities": "0" * 16,
    "workspace": "written",
    "temporary": "written",
    "own home": "written",
    "call": "ok",
    "call by name": "ok",
}

Run = Callable[..., Any]
ATTEMPTS = Path(__file__).with_name("attempts.py")


@pytest.fixture
def script(project: Path) -> Callable[[str], str]:
    def write(text: str) -> str:
        (project / "agent.py").write_text(text, encoding="utf-8")
        return f"{sys.executable} agent.py"

    return write


@needs_bubblewrap
async def test_an_agent_reaches_its_calls_and_its_workspace_and_nothing_else(
    run_agent: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, suite = project.with_name("home"), project / "suite"
    for path in (home / ".ssh/id_ed25519", suite / "cases.yaml", project / ".env"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("secret", encoding="utf-8")
    (project / "agent.py").write_bytes(ATTEMPTS.read_bytes())
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("SECRET_OF_MINE", "x")
    async with await asyncio.start_server(lambda *_: None, "127.0.0.1", 0) as other:
        number = other.sockets[0].getsockname()[1]
        command = f"{sys.executable} agent.py {number} {project} {suite} {os.getpid()}"
        done: Transcript = await run_agent(command, sandbox_hidden=(suite, project / "runs"))
    found = json.loads(done.replies[0].text)
    refused = [name for name in found if str(found[name]).startswith("refused")]
    assert sorted(refused) == sorted(REFUSED)
    assert {name: found[name] for name in found if name not in refused} == SEEN
    assert os.listdir(tmp_path) == ["made.txt"]  # noqa: PTH208
    assert not (home / "made.txt").exists()


@needs_bubblewrap
async def test_the_agents_exit_code_and_stderr_are_its_own(
    run_agent: Run, script: Callable[[str], str]
) -> None:
    done = await run_agent(script("import sys; print('hm'); sys.exit('why')"))
    assert (done.exit_code, done.stderr_tail, done.replies[0].text) == (1, "why\n", "hm")
    with pytest.raises(AgentFailedError, match="exited with 3 and wrote no reply"):
        await run_agent(script("raise SystemExit(3)"))
    with pytest.raises(AgentFailedError, match="ended by SIGKILL"):
        await run_agent(script("import os; os.kill(os.getpid(), 9)"))


def command_lines() -> list[bytes]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has ended
            found.append(path.read_bytes())
    return found


@needs_bubblewrap
async def test_a_time_limit_ends_every_process_and_lets_the_agent_tidy_up(
    run_agent: Run, script: Callable[[str], str], tmp_path: Path
) -> None:
    command = script(
        "import os, signal, sys, time\n"
        "def tidy(*_):\n    open('tidied', 'w').close(); sys.exit()\n"
        "if not os.fork():\n"
        "    os.setsid()\n    os.execve('/bin/sleep', ['sleep', '987654'], {})\n"
        "signal.signal(signal.SIGTERM, tidy)\n"
        "open('ready', 'w').close()\n"
        "time.sleep(600)\n"
    )
    running = asyncio.create_task(run_agent(command))
    await until((tmp_path / "ready").exists)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (tmp_path / "tidied").exists()
    assert b"sleep\x00987654\x00" not in command_lines()


@needs_bubblewrap
async def test_a_program_that_is_not_there_is_no_failure_of_the_agent(run_agent: Run) -> None:
    with pytest.raises(AgentUnreachableError, match="cannot start 'no-such' in the sandbox: No"):
        await run_agent("no-such")


@needs_bubblewrap
async def test_an_agent_deep_in_the_suite_is_seen_alone(run_agent: Run, project: Path) -> None:
    suite = project / "suite"
    (agent := suite / "agent" / "agent.py").parent.mkdir(parents=True)
    agent.write_text(
        "import os\n"
        f"print(os.listdir({str(suite)!r}), os.listdir({str(agent.parent)!r}))\n"
        f"try:\n    open({str(suite / 'new')!r}, 'w')\n"
        "except OSError as error:\n    print(error.strerror)\n",
        encoding="utf-8",
    )
    (suite / "cases.yaml").write_text("secret", encoding="utf-8")
    done = await run_agent(f"{sys.executable} {agent}", sandbox_hidden=(suite,))
    assert done.replies[0].text == "['agent'] ['agent.py']\nRead-only file system"


@needs_bubblewrap
async def test_what_is_named_may_be_read(
    run_agent: Run, script: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    further = tmp_path_factory.mktemp("further")
    (further / "model.txt").write_text("weights", encoding="utf-8")
    done = await run_agent(
        script(f"print(open({str(further / 'model.txt')!r}).read())"), sandbox_read=(further,)
    )
    assert done.replies[0].text == "weights"


async def test_a_sandbox_that_does_not_come_up_is_no_failure_of_the_agent(
    run_agent: Run, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("bin")
    bwrap = folder / "bwrap"
    # the probe of `check` has no --chdir
    bwrap.write_text('#!/bin/sh\ncase "$*" in *--chdir*) echo "bwrap: no" >&2; exit 1;; esac\n')
    bwrap.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    with pytest.raises(AgentUnreachableError, match=r"did not start \(exit code 1\): bwrap: no"):
        await run_agent("true")


@pytest.mark.parametrize(
    ("bwrap", "says"),
    [
        (None, "needs the program 'bwrap', which is not installed"),
        ("echo 'bwrap: No permissions to create new namespace' >&2; exit 1", "No permissions"),
    ],
)
def test_what_stands_in_the_way_is_told(tmp_path: Path, bwrap: str | None, says: str) -> None:
    if bwrap is not None:
        (tmp_path / "bwrap").write_text(f"#!/bin/sh\n{bwrap}\n", encoding="utf-8")
        (tmp_path / "bwrap").chmod(0o755)
    with pytest.raises(InfrastructureError, match=says):
        read_sandbox(SandboxOptions("bubblewrap"), {"PATH": str(tmp_path)}).check()


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("jail", "unknown sandbox 'jail'"),
        ("bubblewrap:x", "unknown sandbox"),
        ("docker", "names no image"),
        ("docker:", "names no image"),
    ],
)
def test_other_words_are_refused(spec: str, says: str) -> None:
    with pytest.raises(HarnessError, match=says):
        read_sandbox(SandboxOptions(spec), {})


def test_what_is_to_be_read_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="is not there"):
        read_sandbox(SandboxOptions("bubblewrap", (tmp_path / "no",)), {})
