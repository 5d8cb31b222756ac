"""What the agent can do in its folder; every use is noted."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.demo.coding.flaws import NO_FLAWS, CodingFlaws

_LOOKS = 3
_SHOWN = 2000
_PATIENCE_S = 60


class ToolFailedError(Exception):
    """A tool could not do what it was asked for."""


@dataclass(frozen=True)
class Ran:
    """How a command ended: its exit code, and what it wrote."""

    exit_code: int
    output: str


@dataclass
class Toolbox:
    """The tools, for one folder.

    Attributes:
        folder: Nothing outside of it is read or written.
        flaws: What is done badly.
        uses: Every use so far, as programs read them: `name`, `args`, `status`, `step`, `result`.
        last: The last command that was run.
    """

    folder: Path
    flaws: CodingFlaws = NO_FLAWS
    uses: list[dict[str, Any]] = field(default_factory=list)
    last: Ran = field(default_factory=lambda: Ran(0, ""))

    def list_files(self) -> list[str]:
        """The paths of all files."""
        use = self._note("list_files", {})
        use["result"] = [path.relative_to(self.folder).as_posix() for path in self._files()]
        return list(use["result"])

    def read_file(self, path: str) -> str:
        """The text of a file.

        Raises:
            ToolFailedError: It cannot be read.
        """
        use = self._step("read_file", {"path": path})
        try:
            text = self._inside(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            use["status"] = "error"
            raise ToolFailedError(f"{path} cannot be read: {error}") from None
        use["result"] = text[:_SHOWN]
        return text

    def search_files(self, text: str) -> dict[str, list[str]]:
        """The lines that hold a text, letter case aside, by file."""
        use = self._step("search_files", {"text": text})
        found: dict[str, list[str]] = {}
        for path in self._files():
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            if held := [line for line in lines if text.casefold() in line.casefold()]:
                found[path.relative_to(self.folder).as_posix()] = held
        use["result"] = found
        return found

    def write_file(self, path: str, text: str) -> None:
        """Write a whole file."""
        self._step("write_file", {"path": path, "text": text})
        self._write(path, text)

    def edit_file(self, path: str, old: str, new: str) -> None:
        """Replace a text in a file wherever it stands.

        Raises:
            ToolFailedError: It is not there.
        """
        use = self._step("edit_file", {"path": path, "old": old, "new": new})
        text = self._inside(path).read_text(encoding="utf-8")
        if old not in text:
            use["status"] = "error"
            raise ToolFailedError(f"{path} does not hold {old!r}")
        self._write(path, text.replace(old, new))

    def run_command(self, command: str) -> Ran:
        """Run a shell command in the folder."""
        if self.flaws.skips_tool:
            return Ran(0, "")
        use = self._step("run_command", {"command": command})
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        ended = subprocess.run(  # noqa: S602 - a shell is what the tool offers
            command,
            shell=True,
            cwd=self.folder,
            env=os.environ | {"PATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_PATIENCE_S,
            check=False,
        )
        self.last = Ran(ended.returncode, ended.stdout.decode("utf-8", "replace").strip())
        use["status"] = "ok" if ended.returncode == 0 else "error"
        use["result"] = {"exitCode": ended.returncode, "output": self.last.output[-_SHOWN:]}
        return self.last

    def _step(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        for _ in range(_LOOKS if self.flaws.too_many_rounds else 0):
            self.list_files()
        return self._note(name, args)

    def _note(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        use = {"name": name, "args": args, "status": "ok", "step": len(self.uses)}
        self.uses.append(use)
        return use

    def _write(self, path: str, text: str) -> None:
        if self.flaws.forgets_file:
            return
        target = self._inside(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def _inside(self, path: str) -> Path:
        target = (self.folder / path).resolve()
        if not target.is_relative_to(self.folder.resolve()):
            raise ToolFailedError(f"{path} is outside of my folder")
        return target

    def _files(self) -> Iterator[Path]:
        yield from sorted(path for path in self.folder.rglob("*") if path.is_file())
