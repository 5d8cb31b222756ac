"""What a sandbox is: a way to run a program without a network, and without the user's files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from harness.agents.processes import Command
from harness.agents.sandbox.gate import Gate


@dataclass(frozen=True, slots=True)
class SandboxOptions:
    """What is said of sandboxes.

    Attributes:
        spec: `bubblewrap` or `docker:IMAGE`; empty for none.
        read: Further files and folders that agents may read.
        hidden: What they may not read, wherever it is: the suite, and where runs are kept.
    """

    spec: str = ""
    read: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Job:
    """One program to be run in a sandbox.

    Attributes:
        command: The program, with its whole environment; its folder is all that it may write.
        block: The part of the environment that is its session's.
        folder: Where the harness was started.
    """

    command: Command
    block: Mapping[str, str]
    folder: Path


@dataclass(frozen=True, slots=True)
class Enclosed:
    """What is started in the place of a program.

    Attributes:
        command: The command that makes the sandbox and runs the program in it.
        variables: The environment that the program is handed once it is inside, if it is not that
            of the command.
        stop: A command that ends what outlives the first one; empty where nothing can.
    """

    command: Command
    variables: Mapping[str, str]
    stop: Sequence[str] = ()


class Sandbox(Protocol):
    """A kind of sandbox."""

    def check(self) -> None:
        """Try whether one can be made.

        Raises:
            InfrastructureError: It cannot on this machine.
        """
        ...

    def enclose(self, job: Job, gate: Gate) -> Enclosed:
        """What is started in the place of a program.

        Args:
            job: The program.
            gate: What leads from the sandbox to the mock server.
        """
        ...
