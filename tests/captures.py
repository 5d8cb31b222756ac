"""The real `understudy capture proxy`, in a process of its own."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.patience import PATIENCE_S
from tests.warm import programs

_READY = re.compile(r"ready at (\S+?),")
KEY = "a redaction key for tests"
MODULE = (sys.executable, "-m", "mockserver")


class CaptureProcess:
    """A capture that runs until it is interrupted or killed.

    Attributes:
        url: Where clients ask.
        block: The environment that it printed, for clients of a forward proxy.
        output: What it printed, once it has ended.
        messages: What it said on the side, once it has ended.
        status: Its exit status, once it has ended.
    """

    def __init__(
        self, folder: Path, *options: str, limit: str = "", own: bool = False, of: str = "proxy"
    ) -> None:
        command = [str(programs() / "mockserver"), "capture", of, "--port=0", *options]
        if limit or own:  # a fork of another process has other limits, and its end is told to it
            command[:1] = ["bash", "-c", f'{limit or ":"}; exec "$@"', "-", *MODULE]
        self._errors = (folder / "messages.log").open("w+b")
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "MOCKSERVER_REDACTION_KEY": KEY},
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self.block: dict[str, str] = {}
        self.output = self.messages = ""
        self.status: int | None = None
        self.url = self._ready()

    def _ready(self) -> str:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.output += line
            found = _READY.search(line)
            if found:
                return found[1]
            name, equals, value = line.removeprefix("export ").strip().partition("=")
            if equals:
                self.block[name] = value
        self.end(signal.SIGKILL)
        raise AssertionError(self.messages)

    def end(self, number: signal.Signals = signal.SIGINT) -> int:
        """Send it a signal, and wait for its end."""
        if self.status is None:
            self._process.send_signal(number)
            self.output += self._process.communicate(timeout=PATIENCE_S)[0]
            self.status = self._process.returncode
            self._errors.seek(0)
            self.messages = self._errors.read().decode()
            self._errors.close()
        return self.status

    def wait(self) -> int:
        """Wait until it ends by itself."""
        self._process.wait(timeout=PATIENCE_S)
        return self.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        if self.status is None:
            self.end(signal.SIGKILL)
