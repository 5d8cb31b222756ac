"""The working folder of a trial: made when it is needed, read at its end, then removed."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from harness.errors import HarnessError, InfrastructureError, reason_of
from harness.model import Case, WorkspaceFile

MOST_FILES = 1000
LONGEST_TEXT = 64 * 1024


def fixture_files(suite: Path, case: Case) -> tuple[Path, ...]:
    """The plain-text fixtures of a case.

    Raises:
        HarnessError: One is missing or outside the suite.
    """
    if not case.fixtures.files:
        return ()
    root = suite.resolve()
    found = []
    for name in case.fixtures.files:
        path = (suite / name).resolve()
        if not path.is_relative_to(root):
            raise HarnessError(f"case {case.id}: the file {name!r} is outside the suite")
        if not path.is_file():
            raise HarnessError(f"case {case.id}: there is no file {name!r} in {str(suite)!r}")
        found.append(path)
    return tuple(found)


class Workspace:
    """The folder that only one trial sees; there is none until somebody asks for it."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._is_over = False

    def folder(self) -> Path:
        """Where it is, always the same; made with the first call.

        Raises:
            InfrastructureError: It cannot be made, or the trial is over.
        """
        if self._folder is not None:
            return self._folder
        if self._is_over:
            raise InfrastructureError("the trial is over, so that it has no workspace any more")
        try:
            self._folder = Path(tempfile.mkdtemp(prefix="harness-"))
        except OSError as error:
            why = reason_of(error)
            raise InfrastructureError(
                f"cannot make a workspace: {why}", hint="TMPDIR names where they are made"
            ) from None
        return self._folder

    def contents(self) -> dict[str, WorkspaceFile]:
        """Its files (see `contents`); none of a folder that nobody asked for."""
        return {} if self._folder is None else contents(self._folder)

    def remove(self) -> None:
        """Remove it with all that is in it."""
        self._is_over = True
        if self._folder is None:
            return
        try:
            self._folder.rmdir()  # most are empty, and this is much the faster way
        except OSError:
            shutil.rmtree(self._folder, ignore_errors=True)


@contextmanager
def workspace(
    files: Sequence[Path] = (), texts: Mapping[str, str] | None = None
) -> Iterator[Workspace]:
    """The workspace of one trial; it is gone after the block.

    Args:
        files: Copied into it, each by its name.
        texts: Written into it: path in it to text.

    Yields:
        The workspace; its folder is there from the start where something is put into it.

    Raises:
        HarnessError: A path leaves the folder, or is a file and a folder at once.
        InfrastructureError: The folder cannot be made.
    """
    made = Workspace()
    try:
        for path in files:
            shutil.copyfile(path, made.folder() / path.name)
        for name, text in (texts or {}).items():
            _write(made.folder(), name, text)
        yield made
    finally:
        made.remove()


def _write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise HarnessError(f"the workspace's file {name!r} leaves the workspace")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise HarnessError(f"cannot write {name!r} into the workspace: {error.strerror}") from None


def contents(folder: Path) -> dict[str, WorkspaceFile]:
    """The files of a workspace, by relative path; links are not followed.

    At most 1,000 files are listed; the text of a longer or a binary file is left out.
    """
    if not folder.is_dir() or not any(folder.iterdir()):
        return {}
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    inside = [path for path in paths if path.resolve().is_relative_to(folder.resolve())]
    return {path.relative_to(folder).as_posix(): _file(path) for path in inside[:MOST_FILES]}


def _file(path: Path) -> WorkspaceFile:
    size = path.stat().st_size
    if size > LONGEST_TEXT:
        return WorkspaceFile(size=size)
    try:
        return WorkspaceFile(size=size, text=path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return WorkspaceFile(size=size)
