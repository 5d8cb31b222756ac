"""Bodies in files of their own beside a cassette, named by what is in them.

They are in the folder `NAME.bodies` beside `NAME.yaml`, `NAME.recording.yaml` and
`NAME.review.yaml`, each as `<SHA-256>.bin`; the cassette names digest and size, never a path, so
that nothing in it leads anywhere else.
"""

import contextlib
import hashlib
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from mockserver.errors import MockServerError
from mockserver.model import BodyFile, Cassette, Interaction

STEP = 256 * 1024
"""Bytes that are read or written at once."""
LARGEST_FILE = 16 * 1024 * 1024 * 1024
"""Bytes; a larger file is taken for a mistake."""

LARGEST_IN_MEMORY = 64 * 1024 * 1024
"""Bytes of a body that is read as a whole, where nothing else will do."""

DIGEST = re.compile(r"[0-9a-f]{64}")
_OURS = re.compile(r"[0-9a-f]{64}\.bin|\.[0-9a-f]{16}\.part")
_UNFINISHED = (".recording", ".review")
_OWNER_ALONE = 0o600


class BodyFileError(MockServerError):
    """A body's file is not there, or is not what the cassette says."""


def bodies_folder(cassette: Path) -> Path:
    """Where the bodies of a cassette are, of its recording and of its review file too.

    >>> bodies_folder(Path("a/orgs.recording.yaml")).as_posix()
    'a/orgs.bodies'
    """
    stem = cassette.stem
    for suffix in _UNFINISHED:
        stem = stem.removesuffix(suffix)
    return cassette.with_name(f"{stem}.bodies")


def body_path(file: BodyFile) -> Path:
    """The file that a body is in."""
    return Path(file.folder) / f"{file.digest}.bin"


def files_of(interactions: Iterable[Interaction]) -> Iterator[BodyFile]:
    """The files that interactions have bodies in.

    Yields:
        Each, as often as it is named.
    """
    for each in interactions:
        for file in (each.request.file, each.response.file):
            if file is not None:
                yield file


def with_files(interaction: Interaction, changed: Callable[[BodyFile], BodyFile]) -> Interaction:
    """An interaction with its files exchanged for others; itself where it has none."""
    request, response = interaction.request, interaction.response
    if request.file is None and response.file is None:
        return interaction
    if request.file is not None:
        request = replace(request, file=changed(request.file))
    if response.file is not None:
        response = replace(response, file=changed(response.file))
    return replace(interaction, request=request, response=response)


def with_body_folders(
    interactions: tuple[Interaction, ...], cassette: Path
) -> tuple[Interaction, ...]:
    """Interactions whose files are beside a cassette."""
    folder = str(bodies_folder(cassette))

    def beside(file: BodyFile) -> BodyFile:
        return replace(file, folder=folder)

    return tuple(with_files(each, beside) for each in interactions)


class BodyWriter:
    """A body on its way to its file: nobody takes it for one before it is whole.

    Args:
        folder: Where the file will be; it is made.

    Raises:
        MockServerError: It cannot be made.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._draft = folder / f".{secrets.token_hex(8)}.part"
        self._hash = hashlib.sha256()
        self._size = 0
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
            self._descriptor = os.open(self._draft, flags, _OWNER_ALONE)
        except OSError as error:
            raise MockServerError(f"cannot write {folder}: {error.strerror or error}") from error

    def write(self, content: bytes) -> None:
        """Write what comes next.

        Raises:
            MockServerError: There is no room for it; nothing of the body is left.
        """
        self._hash.update(content)
        self._size += len(content)
        rest = memoryview(content)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            self.drop()
            raise MockServerError(
                f"cannot write {self._folder}: {error.strerror or error}"
            ) from error

    def finish(self) -> BodyFile:
        """Give it its name; where the same content is there already it is kept once.

        Raises:
            MockServerError: It cannot be written; nothing of the body is left.
        """
        made = BodyFile(self._hash.hexdigest(), self._size, str(self._folder))
        try:
            os.fsync(self._descriptor)
            self._draft.replace(body_path(made))
        except OSError as error:
            raise MockServerError(
                f"cannot write {self._folder}: {error.strerror or error}"
            ) from error
        finally:
            self.drop()
        return made

    def drop(self) -> None:
        """Leave nothing of it."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)
        with contextlib.suppress(OSError):
            self._draft.unlink()
        with contextlib.suppress(OSError):
            self._folder.rmdir()  # unless there is anything in it


def open_body(file: BodyFile) -> BinaryIO:
    """Open the file of a body; what is read is what the cassette was written with.

    Raises:
        BodyFileError: It is not there, is no regular file, or has another content.
    """
    path = body_path(file)
    hint = "the folder belongs to the cassette: copy and rename both, or record it again"
    try:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            # a pipe would keep whoever opens it waiting
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            descriptor = os.open(path.name, flags, dir_fd=folder)
        finally:
            os.close(folder)
    except OSError as error:
        why = error.strerror or str(error)
        raise BodyFileError(f"the body {path} cannot be read: {why}", hint=hint) from error
    opened = os.fdopen(descriptor, "rb", buffering=0)
    try:
        _check(opened, file, path, hint)
    except BaseException:
        opened.close()
        raise
    return opened


def _check(opened: BinaryIO, file: BodyFile, path: Path, hint: str) -> None:
    held = os.fstat(opened.fileno())
    if not stat.S_ISREG(held.st_mode):
        raise BodyFileError(f"the body {path} is no regular file", hint=hint)
    if held.st_size != file.size:
        raise BodyFileError(
            f"the body {path} has {held.st_size} bytes, and {file.size} were recorded", hint=hint
        )
    seal = (held.st_dev, held.st_ino, held.st_size, held.st_mtime_ns, held.st_ctime_ns, file.digest)
    if seal in _CHECKED:
        return
    digest = hashlib.sha256()
    while piece := opened.read(STEP):
        digest.update(piece)
    opened.seek(0)
    if digest.hexdigest() != file.digest:
        raise BodyFileError(f"the body {path} was changed after it was recorded", hint=hint)
    if len(_CHECKED) >= _MOST_CHECKED:
        _CHECKED.clear()
    _CHECKED.add(seal)


_CHECKED: set[tuple[int, int, int, int, int, str]] = set()
"""Files whose content was held against its digest, as they were then."""
_MOST_CHECKED = 4096


def read_pieces(opened: BinaryIO) -> Iterator[bytes]:
    """An open body from where it is, closed at its end.

    Yields:
        At most `STEP` bytes.
    """
    with opened:
        while piece := opened.read(STEP):
            yield piece


def read_body(file: BodyFile) -> bytes:
    """A body that has a file, in memory.

    Raises:
        BodyFileError: It is not there, has another content, or is too large for that.
    """
    if file.size > LARGEST_IN_MEMORY:
        limit = LARGEST_IN_MEMORY >> 20
        raise BodyFileError(
            f"the body {body_path(file)} has more than {limit} MiB, and is only sent as it is"
        )
    return b"".join(read_pieces(open_body(file)))


def copy_bodies_beside(cassette: Cassette, path: Path) -> Cassette:
    """A cassette whose bodies are beside `path`, where they were copied to.

    Raises:
        BodyFileError: One of them is not there, or has another content.
        MockServerError: One cannot be written.
    """
    folder = bodies_folder(path)
    moved: dict[str, BodyFile] = {}

    def beside(file: BodyFile) -> BodyFile:
        if file.folder == str(folder):
            return file
        if file.digest not in moved:
            writer = BodyWriter(folder)
            try:
                for piece in read_pieces(open_body(file)):
                    writer.write(piece)
            except BaseException:
                writer.drop()
                raise
            made = writer.finish()
            body_path(made).chmod(0o644)
            moved[file.digest] = made
        return moved[file.digest]

    if next(files_of(cassette.interactions), None) is None:
        return cassette
    return replace(
        cassette, interactions=tuple(with_files(each, beside) for each in cassette.interactions)
    )


def publish_files(folder: Path, needed: Iterable[BodyFile]) -> None:
    """Let everybody read the bodies that are needed, and delete the others.

    Only what this program made is ever deleted.

    Args:
        folder: `NAME.bodies`.
        needed: What cassettes of that name have.
    """
    names = {body_path(file).name for file in needed}
    if not folder.is_dir() or folder.is_symlink():
        return
    for path in tuple(folder.iterdir()):
        if path.name in names:
            path.chmod(0o644)
        elif _OURS.fullmatch(path.name):
            path.unlink()
    if names:
        folder.chmod(0o755)
    else:
        with contextlib.suppress(OSError):
            folder.rmdir()
