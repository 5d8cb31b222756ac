"""Files: written so that a crash leaves the old one, the new one, or none; read up to a size."""

import errno
import os
from contextlib import suppress
from pathlib import Path

LARGEST_LIST = 4 * 1024 * 1024
"""Bytes of a list of runs, suites or judges; a larger one is taken for a mistake."""


def read_list(path: Path) -> bytes:
    """The content of a small file beside the runs.

    Raises:
        OSError: It cannot be read, or is larger than `LARGEST_LIST`.
    """
    if path.stat().st_size > LARGEST_LIST:
        raise OSError(errno.EFBIG, f"larger than {LARGEST_LIST >> 20} MiB", str(path))
    return path.read_bytes()


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under a temporary name beside it, flush it to the disk, then rename it.

    Raises:
        OSError: The file cannot be written.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def flush_folder(folder: Path) -> None:
    """Flush a folder's entries to the disk, so that renamed files survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
