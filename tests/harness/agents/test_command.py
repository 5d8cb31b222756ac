import asyncio
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from harness.agents import AgentFailedError, AgentUnreachableError, DriverOptions, Task, Transcript
from harness.agents.command import (
    CommandAgent,
    agent_environment,
    last_line,
    locate_parts,
    read_stdout,
)
from harness.agents.processes import ProcessEnd
from harness.errors import HarnessError
from tests.patience import PATIENCE_S

MakeTask = Callable[..., Task]


@pytest.fixture
def script(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    def write(text: str) -> str:
        path = tmp_path_factory.mktemp("agent") / "agent.py"
        path.write_text("import os, sys, json\n" + text, encoding="utf-8")
        return f"{sys.executable} {path}"

    return write


async def converse(command: str, task: Task, **options: Any) -> Transcript:
    transcript = Transcript()
    driver = CommandAgent(command, DriverOptions(grace_s=0.2, **options))
    await driver.converse(task, transcript)
    await driver.close()
    return transcript


async def test_the_prompt_comes_on_stdin_or_among_the_arguments(
    script: Callable[[str], str], make_task: MakeTask
) -> None:
    command = script("print(sys.argv[1:], sys.stdin.read())")
    assert (await converse(command, make_task("Why?"))).replies[0].text == "[] Why?"
    among = (await converse(f"{command} --ask '{{prompt}}'", make_task("a 'b' $c"))).replies[0]
    assert among.text == """['--ask', "a 'b' $c"]"""


async def test_the_conversation_comes_as_json(
    script: Callable[[str], str], make_task: MakeTask
) -> None:
    """CEPR-03: one process for each turn, with the whole conversation; fixtures go along."""
    command = script("print(json.dumps({'text': json.dumps(json.load(sys.stdin))}))")
    task = make_task("First", "Second", fixtures={"orgUnits": []})
    said = orjson.loads((await converse(command, task, input="json")).replies[1].text)
    assert [message["role"] for message in said["messages"]] == ["user", "assistant", "user"]
    assert said["fixtures"] == {"orgUnits": []}


async def test_the_environment_is_the_sessions_and_a_minimum(
    script: Callable[[str], str], make_task: MakeTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_MINE", "x")
    command = script("print(os.environ.get('SECRET_OF_MINE'), os.environ['A'], os.environ['B'])")
    transcript = await converse(
        command, make_task(env={"A": "session"}), env={"A": "me", "B": "me"}
    )
    assert transcript.replies[0].text == "None session me"


async def test_the_workspace_lasts_for_all_turns(
    script: Callable[[str], str], make_task: MakeTask
) -> None:
    command = script("open('log', 'a').write('x'); print(open('log').read())")
    transcript = await converse(command, make_task("First", "Second"))
    assert [reply.text for reply in transcript.replies] == ["x", "xx"]


async def test_exit_code_and_stderr_are_kept_and_a_reply_counts_all_the_same(
    script: Callable[[str], str], make_task: MakeTask
) -> None:
    transcript = await converse(script("print('hm'); sys.exit('why')"), make_task())
    assert (transcript.exit_code, transcript.stderr_tail) == (1, "why\n")
    assert transcript.replies[0].text == "hm"


async def test_a_crash_without_a_reply_fails_the_agent_and_is_recorded(
    script: Callable[[str], str], make_task: MakeTask
) -> None:
    driver, transcript = (
        CommandAgent(script("raise ValueError('no')"), DriverOptions()),
        Transcript(),
    )
    with pytest.raises(AgentFailedError, match=r"exited with 1 .* ValueError: no"):
        await driver.converse(make_task(), transcript)
    assert transcript.exit_code == 1
    assert "ValueError" in transcript.attempts[0].error


async def test_silence_is_a_reason_too(script: Callable[[str], str], make_task: MakeTask) -> None:
    with pytest.raises(AgentFailedError, match=r"exited with 2 and wrote no reply$"):
        await converse(script("sys.exit(2)"), make_task())


async def test_a_program_that_is_not_in_the_workspace_is_unreachable(make_task: MakeTask) -> None:
    with pytest.raises(AgentUnreachableError):
        await converse("./no-such-program", make_task())


@pytest.mark.parametrize(
    ("program", "where"), [("/no/such/program", "at this path"), ("no-such-program", "in PATH")]
)
def test_a_program_that_is_nowhere_is_refused(program: str, where: str) -> None:
    with pytest.raises(HarnessError, match=f"there is no program '{program}' {where}"):
        CommandAgent(program, DriverOptions())


@pytest.mark.parametrize(
    ("stdout", "text"),
    [
        pytest.param(b"", "", id="nothing"),
        pytest.param(b'{"text": "a"}', "a", id="object"),
        pytest.param(b'{\n "text": "a"\n}\n', "a", id="object over lines"),
        pytest.param(b'log\n{"text": "a"}\n', "a", id="last line"),
        pytest.param(b'{"a": 1}', '{"a": 1}', id="JSON that is no reply"),
        pytest.param(b"{not json}", "{not json}", id="braces"),
        pytest.param(b"caf\xff", "caf\ufffd", id="not UTF-8"),
    ],
)
def test_stdout_is_a_json_reply_or_plain_text(stdout: bytes, text: str) -> None:
    assert read_stdout(stdout, turn=1, prompt="").text == text


@pytest.mark.parametrize("command", ["", "   ", "say 'hello"])
def test_a_command_that_makes_no_sense_is_refused(command: str) -> None:
    with pytest.raises(HarnessError, match="command"):
        CommandAgent(command, DriverOptions())


@pytest.mark.parametrize("command", ["./agent.sh", "sh agent.sh", "sh ./agent.sh"])
async def test_a_script_is_named_from_where_the_harness_started(
    command: str, tmp_path_factory: pytest.TempPathFactory, make_task: MakeTask
) -> None:
    folder = tmp_path_factory.mktemp("start")
    path = folder / "agent.sh"
    path.write_text("#!/bin/sh\necho started\n", encoding="utf-8")
    path.chmod(0o755)
    assert (await converse(command, make_task(), folder=folder)).replies[0].text == "started"


def test_nothing_else_is_inherited() -> None:
    inherited = {"PATH": "/bin", "GOOGLE_APPLICATION_CREDENTIALS": "key.json"}
    assert agent_environment(inherited, {}, {}) == {"PATH": "/bin"}


def test_a_file_named_as_an_argument_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("", encoding="utf-8")
    driver = CommandAgent("cat -n notes", DriverOptions(folder=tmp_path))
    assert driver._argv == ["cat", "-n", "notes"]


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        ("os.kill(os.getpid(), 9)", "was ended by SIGKILL (exit code -9)"),
        ("os._exit(139)", "was ended by SIGSEGV (exit code 139)"),
        ("os.abort()", "was ended by SIGABRT (exit code -6)"),
    ],
)
async def test_a_program_that_dies_has_not_answered_whatever_it_wrote(
    script: Callable[[str], str], make_task: MakeTask, ending: str, said: str
) -> None:
    command = script(f"print('The answer is 4.', flush=True); {ending}")
    with pytest.raises(AgentFailedError) as error:
        await converse(command, make_task())
    assert said in str(error.value)
    assert "after it had written to stdout" in str(error.value)


async def test_an_exit_code_that_is_no_signal_is_an_answer_all_the_same(
    script: Callable[[str], str], make_task: MakeTask
) -> None:
    transcript = await converse(script("print('4', flush=True); os._exit(255)"), make_task())
    assert (transcript.replies[0].text, transcript.exit_code) == ("4", 255)


@pytest.mark.parametrize("sent", ["text", "nothing"])
def test_stdin_ends_whatever_event_loop_runs_the_agent(
    script: Callable[[str], str], make_task: MakeTask, sent: str
) -> None:
    """the console has a loop of its own; an agent that reads to the end must not wait there"""
    uvloop = pytest.importorskip("uvloop")
    command = script("print('read', repr(sys.stdin.read()))")
    command += " '{prompt}'" * (sent == "nothing")
    task = make_task("p" * 200_000 if sent == "text" else "p")

    async def bounded() -> Transcript:
        async with asyncio.timeout(PATIENCE_S):
            return await converse(command, task)

    text = uvloop.run(bounded()).replies[0].text
    assert len(text) == (200_007 if sent == "text" else 7)


_NODE = """\
node:internal/deps/undici/undici:14900
      Error.captureStackTrace(err);

TypeError: fetch failed
    at node:internal/deps/undici/undici:14900:13 {
  [cause]: Error: getaddrinfo ENOTFOUND api.example.com
      at lookup {
    code: 'ENOTFOUND'
  }
}

Node.js v20.20.2
"""


@pytest.mark.parametrize(
    ("stderr", "told"),
    [
        (_NODE, "TypeError: fetch failed: Error: getaddrinfo ENOTFOUND api.example.com"),
        ("Error: no key\n    at x\n\nNode.js v22.1.0\n", "Error: no key"),
        ("odd\nNode.js v22.1.0\n", "Node.js v22.1.0"),
        ("a\nValueError: b\n", "ValueError: b"),
    ],
)
def test_the_error_of_a_program_is_told_not_what_node_says_of_itself(
    stderr: str, told: str
) -> None:
    ended = ProcessEnd(stdout=b"", exit_code=1, stderr_tail=stderr)
    assert last_line(ended) == f"; last line of stderr: {told}"


@pytest.mark.parametrize(
    ("command", "started"),
    [
        ("python agent/a.py", "python {}/agent/a.py"),
        ("python -B agent/a.py", "python -B {}/agent/a.py"),
        ("env X=1 python agent/a.py", "env X=1 python {}/agent/a.py"),
        ("env CONFIG=agent/a.py a.py", "env CONFIG={}/agent/a.py {}/a.py"),
        ("uv run --project agent a.py", "uv run --project {}/agent {}/a.py"),
        ("uv run agent", "uv run agent"),
        ("poetry run agent", "poetry run agent"),
        ("poetry run python agent", "poetry run python {}/agent"),
        ("python -m agent a.py", "python -m agent {}/a.py"),
        ("npx tsx agent/a.py", "npx tsx {}/agent/a.py"),
        ("node --import ./a.py agent/a.py", "node --import {}/a.py {}/agent/a.py"),
        ("node --import=./a.py x.mjs", "node --import={}/a.py x.mjs"),
        ("./a.py --in given.txt", "{}/a.py --in given.txt"),
        ("agent --root . --url http://x.example.com/a=a.py", None),
        ("a.py /etc/hosts -a.py", None),
        ("node ../here/a.py", "node {}/../here/a.py"),
        ("python \"{prompt}\" 'print(1)'", "python {prompt} print(1)"),
    ],
)
def test_parts_that_name_files_of_the_folder_are_absolute(
    tmp_path: Path, command: str, started: str | None
) -> None:
    folder, workspace = tmp_path / "here", tmp_path / "elsewhere" / "trial"
    (folder / "agent").mkdir(parents=True)
    workspace.mkdir(parents=True)
    for path in ("agent/a.py", "a.py", "given.txt"):
        (folder / path).touch()
    (workspace / "given.txt").touch()
    wanted = command if started is None else started.replace("{}", str(folder))
    assert " ".join(locate_parts(shlex.split(command), folder, workspace)) == wanted


async def test_an_agent_may_work_where_the_run_was_started(
    tmp_path: Path, make_task: MakeTask
) -> None:
    (tmp_path / "a.py").write_text("import os; print(os.getcwd(), os.environ['WORKSPACE'])")
    task = make_task()
    for command in ("python a.py", "env X=1 python -B ./a.py"):
        driver = CommandAgent(command, DriverOptions(folder=tmp_path, agent_cwd="here"))
        transcript = Transcript()
        await driver.converse(task, transcript)
        assert transcript.replies[0].text == f"{tmp_path} {task.workspace}"


@pytest.mark.parametrize(
    ("command", "cwd", "told"),
    [
        ("python nowhere.py", "workspace", "it ran in the trial's workspace"),
        ("sh -c 'no-such-program-at-all'", "workspace", "or give --agent-cwd here"),
        ("python -c 'open(\"x\")'", "here", "where the run was started"),
        ("python -c 'import no_such'", "workspace", "name its files in the command"),
        ("python -c 'exit(3)'", "workspace", ""),
    ],
)
async def test_an_agent_that_misses_a_file_is_told_where_it_ran(
    make_task: MakeTask, command: str, cwd: str, told: str
) -> None:
    with pytest.raises(AgentFailedError) as failed:
        await converse(command, make_task(), agent_cwd=cwd)
    assert told in str(failed.value)
    assert ("ran in" in str(failed.value)) == bool(told)


async def test_a_program_that_no_workspace_has_is_told_with_its_folder(make_task: MakeTask) -> None:
    with pytest.raises(AgentUnreachableError, match="it ran in the trial's workspace"):
        await converse("./no-such-agent.sh", make_task())
