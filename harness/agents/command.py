"""Agents that are programs: `command:./agent.sh --fast`, one process for each turn.

What it reads: with `--input text` the turn's prompt on stdin (or in the place of `{prompt}` among
its arguments); with `--input json` one JSON object on stdin, `{"messages": [{"role", "content"}]}`,
earlier turns included. The workspace is its working folder and lasts for all turns of a trial.

What it writes to stdout: plain text, or one JSON object (`text`, `metadata`, `toolCalls`, `rounds`,
`usage`), alone or as the last line.
"""

import os
import re
import shlex
import shutil
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import orjson
from typing_extensions import override

from harness.agents.processes import Command, Limits, ProcessEnd, run_process
from harness.agents.protocol import (
    HERE,
    AgentDriver,
    AgentFailedError,
    AgentUnreachableError,
    DriverOptions,
    Task,
    Transcript,
)
from harness.agents.replies import decode_json, is_reply, read_reply
from harness.errors import HarnessError
from harness.model import Attempt, Json, JsonObject, Reply

if TYPE_CHECKING:
    from harness.agents.sandbox import Sandbox

INPUTS = ("text", "json")
PROMPT = "{prompt}"

# What a program needs to start at all; everything else must be named with --env.
INHERITED = (
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "VIRTUAL_ENV",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "COVERAGE_REACH",
)


OWN_TOKENS = ("MOCKSERVER_TOKEN", "HARNESS_TOKEN")
"""Tokens of this project's servers, which are for no agent."""


def without_own_tokens(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment without the tokens of this project's servers."""
    return {name: value for name, value in environment.items() if name not in OWN_TOKENS}


def agent_environment(
    inherited: Mapping[str, str], variables: Mapping[str, str], block: Mapping[str, str]
) -> dict[str, str]:
    """The whole environment of an agent: a minimum of ours, what the user named, the session's.

    >>> agent_environment({"PATH": "/bin", "AWS_KEY": "x"}, {"A": "1"}, {"MOCK_SESSION": "s"})
    {'PATH': '/bin', 'A': '1', 'MOCK_SESSION': 's'}
    """
    kept = {name: inherited[name] for name in INHERITED if name in inherited}
    return kept | dict(variables) | dict(block)


class CommandAgent(AgentDriver):
    """Runs the command once for each turn, in a process group of its own."""

    holds_conversations = True

    def __init__(self, command: str, options: DriverOptions) -> None:
        """Split the command as a shell would.

        Raises:
            HarnessError: It is empty, its quotes do not close, there is no such program, or no
                such sandbox is known.
            InfrastructureError: The sandbox cannot be made on this machine.
        """
        self._argv = split_command(command)
        self._options = options
        self._limits = Limits(options.max_reply_bytes, options.grace_s)
        self._sandbox = _checked_sandbox(options)
        if self._sandbox is None:
            check_program(self._argv[0], agent_environment(os.environ, options.env, {}), options)

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        env = agent_environment(os.environ, self._options.env, task.env)
        argv = started_argv(self._argv, self._options, task)
        if self._options.agent_cwd == HERE:
            env["WORKSPACE"] = str(task.workspace)
        async for turn, prompt in task.turns(transcript):
            start = perf_counter()
            note = Attempt(turn=turn, number=1)
            try:
                told = [part.replace(PROMPT, prompt) for part in argv]
                command = Command(
                    told,
                    self._stdin(task, transcript, prompt),
                    env,
                    self._options.working_folder(task),
                )
                reply = await self._turn(task, transcript, command, (turn, prompt))
            except (AgentFailedError, AgentUnreachableError) as error:
                took = (perf_counter() - start) * 1000
                failed = {"error": str(error), "duration_ms": took}
                transcript.attempts.append(note.model_copy(update=failed))
                raise
            took = (perf_counter() - start) * 1000
            transcript.note_reply(reply.model_copy(update={"duration_ms": took, "prompt": prompt}))

    @override
    async def close(self) -> None:
        return

    async def _turn(
        self, task: Task, transcript: Transcript, command: Command, asked: tuple[int, str]
    ) -> Reply:
        turn, prompt = asked
        ended = await self._run(command, task)
        transcript.exit_code, transcript.stderr_tail = ended.exit_code, ended.stderr_tail
        reply = read_stdout(ended.stdout, turn=turn, prompt=prompt)
        if died := ending_signal(ended):
            raise AgentFailedError(died)
        if ended.exit_code != 0 and not reply.text and reply.metadata is None:
            raise AgentFailedError(_no_reply(ended, self._options))
        return reply

    async def _run(self, command: Command, task: Task) -> ProcessEnd:
        if self._sandbox is None:
            try:
                return await run_process(command, self._limits)
            except AgentUnreachableError as error:
                raise AgentUnreachableError(f"{error}{_about_folder(self._options)}") from None
        from harness.agents.sandbox import Job, run_sandboxed

        job = Job(command, task.env, self._options.folder)
        return await run_sandboxed(self._sandbox, job, self._limits)

    def _stdin(self, task: Task, transcript: Transcript, prompt: str) -> bytes:
        if self._options.input == "json":
            said: JsonObject = {"messages": transcript.messages(prompt)}
            return orjson.dumps(
                said if task.fixtures is None else said | {"fixtures": task.fixtures}
            )
        return b"" if any(PROMPT in part for part in self._argv) else prompt.encode()


def _checked_sandbox(options: DriverOptions) -> "Sandbox | None":
    if not options.sandbox:
        return None
    from harness.agents.sandbox import SandboxOptions, read_sandbox

    said = SandboxOptions(options.sandbox, options.sandbox_read, options.sandbox_hidden)
    sandbox = read_sandbox(said, os.environ)
    sandbox.check()
    return sandbox


def read_stdout(stdout: bytes, *, turn: int, prompt: str) -> Reply:
    r"""Make a reply of what a program wrote: a JSON object, alone or as last line, or plain text.

    Raises:
        AgentFailedError: It is an object that cannot be read as a reply.

    >>> read_stdout(b'working ...\n{"text": "Done."}\n', turn=1, prompt="Go").text
    'Done.'
    >>> read_stdout(b"It is 4.", turn=1, prompt="2+2").text
    'It is 4.'
    """
    text = stdout.strip()
    for candidate in (text, text[text.rfind(b"\n") + 1 :]):
        value = _object(candidate)
        if is_reply(value):
            return read_reply(value, turn=turn, prompt=prompt)
    return Reply(turn=turn, prompt=prompt, text=text.decode(errors="replace"), reports_calls=False)


def _object(text: bytes) -> Json:
    if not (text.startswith(b"{") and text.endswith(b"}")):
        return None
    try:
        return decode_json(text)
    except ValueError:
        return None


def split_command(command: str) -> list[str]:
    """The program and its arguments.

    Raises:
        HarnessError: It is empty or its quotes do not close.
    """
    try:
        argv = shlex.split(command)
    except ValueError as error:
        raise HarnessError(f"cannot split the command {command!r}: {error}") from None
    if not argv:
        raise HarnessError("the agent spec 'command:' names no command", hint="command:./agent.sh")
    return argv


def started_argv(argv: Sequence[str], options: DriverOptions, task: Task) -> Sequence[str]:
    """A command as it is started in a trial."""
    if options.agent_cwd == HERE:
        return argv
    return locate_parts(argv, options.folder, task.workspace)


def locate_parts(argv: Sequence[str], folder: Path, workspace: Path | None = None) -> list[str]:
    """A command as it runs in a workspace: files and folders of another folder by absolute paths.

    A value behind `=` is a part, too. What the workspace has stays as it is, and so do names of
    programs and modules: the first word, what follows `-m`, and behind `run` and the like a word
    that names a folder alone.

    Args:
        argv: The program and its arguments.
        folder: Where the run was started.
        workspace: Where the command runs.
    """
    located = []
    for before, part in zip(("", *argv), argv, strict=False):
        name, equals, value = part.rpartition("=")
        path = folder / value
        is_word = "/" not in value and not value.startswith(".")
        is_name = is_word and (
            (before == "" and not equals)
            or before in _BEFORE_MODULES
            or (before in _BEFORE_PROGRAMS and not path.is_file())
        )
        is_path = value != "" and not value.startswith(("-", "/")) and "://" not in part
        if is_name or not is_path or not _exists(path) or _is_within(workspace, value):
            located.append(part)
        else:
            located.append(f"{name}{equals}{path.absolute()}")
    return located


_BEFORE_MODULES = ("-m", "--module")
_BEFORE_PROGRAMS = ("run", "exec", "dlx", "npx", "bunx", "uvx")


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long for a name, or with NUL
        return False


def _is_within(workspace: Path | None, name: str) -> bool:
    """Whether a workspace has something of a name, itself included."""
    if workspace is None or os.path.normpath(name).startswith(".."):
        return False
    return _exists(workspace / name)


def check_program(program: str, environment: Mapping[str, str], options: DriverOptions) -> None:
    """Refuse a program that is not there; a relative path may lead into a trial's workspace.

    Args:
        program: The first word of a command line.
        environment: Of the agent, with its `PATH`.
        options: Where the run was started.

    Raises:
        HarnessError: No folder of `PATH` has it, or nothing at its path can be run.
    """
    program = locate_parts([program], options.folder)[0]
    if "/" in program and not Path(program).is_absolute():
        return
    path = environment.get("PATH", os.defpath)
    if PROMPT in program or shutil.which(program, path=path):
        return
    where = "at this path" if "/" in program else "in PATH"
    raise HarnessError(
        f"cannot start the agent: there is no program {program!r} {where}",
        hint="name one that can be run, or ./SCRIPT relative to this folder",
    )


_SIGNALLED = 128


def ending_signal(ended: ProcessEnd) -> str:
    """Which signal ended the program, itself or below a shell, or an empty string."""
    number = -ended.exit_code if ended.exit_code < 0 else ended.exit_code - _SIGNALLED
    try:
        name = signal.Signals(number).name
    except ValueError:
        return ""
    wrote = ", after it had written to stdout" if ended.stdout.strip() else ""
    return f"the agent was ended by {name} (exit code {ended.exit_code}){wrote}{last_line(ended)}"


def last_line(ended: ProcessEnd) -> str:
    """What a program wrote to stderr at last, to be put behind a reason, or an empty string."""
    last = ended.stderr_tail.strip().rpartition("\n")[2]
    if last.startswith(_NODE_VERSION):
        last = _node_error(ended.stderr_tail) or last
    return f"; last line of stderr: {last[:300]}" if last else ""


_NODE_VERSION = "Node.js v"
_NODE_ERROR = re.compile(r"^(?:Uncaught )?(\w*(?:Error|Exception)\b.*)$", re.MULTILINE)
_NODE_CAUSE = re.compile(r"^\s*\[cause\]: (.*?)(?: \{)?$", re.MULTILINE)


def _node_error(stderr: str) -> str:
    """The error that ended Node, which writes it before its stack and its version."""
    errors = [*_NODE_ERROR.findall(stderr)[-1:], *_NODE_CAUSE.findall(stderr)[-1:]]
    return ": ".join(errors)


def _no_reply(ended: ProcessEnd, options: DriverOptions) -> str:
    found = f"the agent exited with {ended.exit_code} and wrote no reply{last_line(ended)}"
    missing = ended.exit_code == _NOT_FOUND or _MISSING_FILE.search(ended.stderr_tail)
    return found + (_about_folder(options) if missing else "")


_NOT_FOUND = 127
"""What shells exit with where there is no such program."""

_MISSING_FILE = re.compile(
    r"can't open file|No such file or directory|Cannot find (?:module|package)|[Mm]odule not found|"
    r"ModuleNotFoundError|ENOENT"
)


def _about_folder(options: DriverOptions) -> str:
    """Where an agent that misses a file ran, and how it finds what it needs."""
    if options.agent_cwd == HERE:
        return f"; it ran in {str(options.folder.absolute())!r}, where the run was started"
    return (
        "; it ran in the trial's workspace, a new folder: name its files in the command, relative"
        " to where the run is started, or give --agent-cwd here"
    )
