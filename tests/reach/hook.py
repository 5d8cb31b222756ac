"""Loads modules that note what is reached: run as an interpreter starts, so it imports little."""

import builtins
import marshal
import mmap
import os
from importlib.machinery import SourceFileLoader
from types import CodeType

VARIABLE = "COVERAGE_REACH"
"""Names the folder of the notes and of the modules; without it nothing is noted."""

NOTES = "_reached"
"""One byte for each note: a file in the folder, and a name that all modules know.

All processes map the file, so nothing is lost of one that is killed.
"""


def place(folder: str, path: str) -> str:
    """Where the code of a module lies that notes what is reached."""
    return os.path.join(folder, path.replace(os.sep, "+"))


def start() -> None:
    """From here on this process notes what it reaches.

    Raises:
        OSError: The folder cannot be reached, as in a sandbox.
    """
    folder = os.environ[VARIABLE]
    with open(os.path.join(folder, NOTES), "r+b") as file:
        setattr(builtins, NOTES, mmap.mmap(file.fileno(), 0))
    plain = SourceFileLoader.get_code  # of all finders: adapters are loaded by their paths

    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        """The code as it was when the run began; that of others, and of copies, is their own."""
        try:
            with open(place(folder, self.path), "rb") as file:
                code: CodeType = marshal.load(file)
                return code
        except OSError:
            return plain(self, fullname)

    SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]
