"""Finds recordings in files and folders; one that cannot be read is told, and costs only itself."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mockserver.capture.setup import capture_redactor
from mockserver.cassettes.foreign import read_foreign
from mockserver.errors import MockServerError
from mockserver.model import Interaction
from mockserver.redaction import StatedValues

ENDINGS = frozenset({".yaml", ".yml", ".json", ".har", ".zip", ".log", ".http", ".cassette"})
"""What the names of files end with that are read when a folder is given."""
_LARGEST = 64 * 1024 * 1024
"""Bytes of a file that is found in a folder; a larger one must be named itself."""


@dataclass(frozen=True)
class Recording:
    """A recording, or why it cannot be read.

    Attributes:
        name: Its path, below the folder that was given.
        format: What wrote it.
        interactions: In their order.
        notes: What of it was left out.
        problem: Why it cannot be used; empty where it can.
    """

    name: str
    format: str = ""
    interactions: tuple[Interaction, ...] = ()
    notes: tuple[str, ...] = ()
    problem: str = field(default="")


def find_recordings(paths: Sequence[Path], *, upstream: str = "") -> Iterator[Recording]:
    """Read all recordings in files and folders, in the order of their names.

    Args:
        paths: Files and folders.
        upstream: `https://host[/prefix]`, for formats that name only paths.

    Yields:
        Each of them, those that cannot be read with their problem.

    Raises:
        MockServerError: A path is not there, or a folder has nothing that could be a recording.
    """
    for path in paths:
        if not path.exists():
            raise MockServerError(
                f"{path} is not there", hint="name files or folders of recordings"
            )
        if not path.is_dir() or (path / "mappings").is_dir():
            yield _read(path, str(path), upstream)
            continue
        files = list(_files(path))
        if not files:
            endings = ", ".join(sorted(ENDINGS))
            raise MockServerError(f"{path} has no recordings", hint=f"they end with {endings}")
        for file in files:
            yield _read(file, str(file.relative_to(path)), upstream)


def redacted(
    recordings: Iterable[Recording], stated: StatedValues | None = None
) -> Iterator[Recording]:
    """Recordings as they may be written to the disk.

    Args:
        recordings: The recordings; what is redacted already stays as it is.
        stated: What stays in clear unless it opens something.

    Yields:
        Each of them.
    """
    redactor = capture_redactor(None, stated)
    for each in recordings:
        yield replace(each, interactions=tuple(redactor.redact_interactions(each.interactions)))


def _files(folder: Path) -> Iterator[Path]:
    """The files of a folder that may be recordings; links lead nowhere.

    Yields:
        In the order of their names.
    """
    for above, folders, names in os.walk(folder, followlinks=False):
        folders.sort()
        for name in sorted(names):
            file = Path(above, name)
            if file.suffix.lower() in ENDINGS and not file.is_symlink() and file.is_file():
                yield file


def _read(path: Path, name: str, upstream: str) -> Recording:
    if path.is_file() and path.stat().st_size > _LARGEST:
        return Recording(name, problem=f"larger than {_LARGEST >> 20} MiB")
    try:
        cassette, imported = read_foreign(path, upstream=upstream)
    except (MockServerError, OSError, RecursionError) as error:
        return Recording(name, problem=f"{error}".replace(str(path), "").lstrip(": "))
    problem = "" if cassette.interactions else "holds no exchanges"
    return Recording(name, imported.format, cassette.interactions, imported.notes, problem)
