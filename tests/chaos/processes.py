"""Forks of this warm process in which a program runs, struck or not."""

import contextlib
import io
import os
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.strikes import Disk, Strike, nothing
from tests.patience import wait_until

Program = Callable[[], int]

_SHORT_OF_MEMORY = ("MemoryError", "Cannot allocate memory")


@dataclass(frozen=True)
class Ended:
    """How a program ended.

    Attributes:
        code: Its exit code; a negative one is the signal that ended it.
        operations: How many operations on watched files it did; 0 where it was killed.
        messages: What it said on stderr and stdout.
    """

    code: int
    operations: int
    messages: str

    @property
    def traceback(self) -> str:
        """The end of a traceback that it printed, or an empty string.

        Where memory is short, Python itself has no other words.
        """
        is_traceback = "Traceback" in self.messages
        excused = any(words in self.messages for words in _SHORT_OF_MEMORY)
        return self.messages[-800:] if is_traceback and not excused else ""


class Forked:
    """A program in a fork of this process.

    Args:
        program: What to run; its answer is the exit code.
        notes: A folder for what it says, not the watched one.
        watched: The folder whose files are counted and struck.
        strike: What happens to it.
        at: At which operation.
    """

    def __init__(
        self,
        program: Program,
        notes: Path,
        watched: Path,
        strike: Strike = nothing,
        at: int = -1,
    ) -> None:
        self._messages, self._count = notes / "messages.log", notes / "operations"
        self._count.write_text("0", encoding="ascii")
        self._code: int | None = None
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if not self.pid:
            self._run(program, Disk(str(watched), strike, at))

    def _run(self, program: Program, disk: Disk) -> None:
        """In the fork: it never returns."""
        code = 70
        try:
            messages = os.open(self._messages, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            count = os.open(self._count, os.O_WRONLY)
            os.dup2(messages, 1)
            os.dup2(messages, 2)
            os.setsid()
            disk.install()
            try:
                code = program()
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 1
            except BaseException:  # noqa: BLE001  (whatever it is, it is this program's end)
                traceback.print_exc()
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(OSError, MemoryError):
                    stream.flush()
            os.pwrite(count, str(disk.operations).encode(), 0)
        finally:
            os._exit(code)

    def send(self, number: signal.Signals) -> None:
        """Send it a signal, if it still runs."""
        if self._ended() is None:
            os.kill(self.pid, number)

    def _ended(self) -> int | None:
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code

    def runs(self) -> bool:
        """Whether it has not ended yet."""
        return self._ended() is None

    def wait(self) -> Ended:
        """Wait for its end; what hangs is killed, with its children, and told as code 124."""
        try:
            wait_until(lambda: not self.runs(), "the end of a program")
        except AssertionError:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self._code = 124
        assert self._code is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)  # children that outlived it
        return Ended(
            self._code,
            int(self._count.read_text(encoding="ascii")),
            self._messages.read_text(encoding="utf-8", errors="replace"),
        )


def children_of(pid: int) -> list[int]:
    """The processes that a process started."""
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
        return [int(child) for child in text.split()]
    return []


def harness(*arguments: str) -> Program:
    """The `harness` command with its arguments."""

    def program() -> int:
        from harness.cli.main import main

        sys.argv = ["harness", *arguments]
        main()
        return 0

    return program


def mockserver(*arguments: str) -> Program:
    """The `mockserver` command with its arguments."""

    def program() -> int:
        from mockserver.cli.main import main

        main(arguments)
        return 0

    return program


def in_this_process(program: Program) -> None:
    """Run a program here, so that forks find imported what it imports late."""
    said = io.StringIO()
    with (
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
        contextlib.suppress(SystemExit),
    ):
        program()
