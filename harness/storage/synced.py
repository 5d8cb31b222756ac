"""What of a run its store is known to hold: one line a file in `.synced.jsonl`.

A file that changed since, or has no line, has not been sent. A line that a killed process did not
write makes a file look unsent, never the other way round.
"""

import base64
import hashlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import orjson

from harness.storage.object_store import StoredObject

SYNCED = ".synced.jsonl"
TRIALS = "trials/"


class Agreement(NamedTuple):
    """A file that was equal here and in the store.

    Attributes:
        tag: The store's, of its object; empty where it was not asked.
        local: Changes when the file does.
        digest: The MD5 of its content, hexadecimal.
    """

    tag: str
    local: str
    digest: str


def agree(path: Path, content: bytes, tag: str = "") -> Agreement:
    """What is noted of a file that has this content, as the store's object does.

    Raises:
        OSError: It is gone.
    """
    return Agreement(tag, local_tag(path), content_digest(content))


def content_digest(content: bytes) -> str:
    """The MD5 of a content, hexadecimal: what most stores tell of theirs."""
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def local_tag(path: Path) -> str:
    """Changes when a file does; it is not read.

    Raises:
        OSError: It is gone.
    """
    found = path.stat()
    return f"{found.st_size}.{found.st_mtime_ns}"


def read_agreements(folder: Path) -> dict[str, Agreement]:
    """What is noted of the files of a run, by their paths in it."""
    found = {}
    with suppress(OSError):
        for line in (folder / SYNCED).read_bytes().splitlines():
            with suppress(ValueError, TypeError):  # a line that was cut off
                name, tag, local, digest = orjson.loads(line)
                found[name] = Agreement(tag, local, digest)
    return found


def add_agreements(folder: Path, agreements: Mapping[str, Agreement]) -> None:
    """Note files of a run; what was noted of them before counts no more.

    Where it cannot be written they look unsent, and nothing is lost.
    """
    lines = [orjson.dumps([name, *each]) + b"\n" for name, each in agreements.items()]
    with suppress(OSError), (folder / SYNCED).open("ab") as file:
        file.write(b"".join(lines))


def folders_with_agreements(runs: Path) -> list[Path]:
    """The directories of runs of which something was sent or brought."""
    found = sorted(path.parent for path in runs.glob(f"*/{SYNCED}"))
    return [folder for folder in found if not folder.name.startswith(".")]


def files_of(folder: Path) -> Iterator[Path]:
    """The files of a run but for those that are being written.

    Yields:
        Paths.
    """
    for path in folder.rglob("*"):
        if not path.name.startswith(".") and path.is_file() and not path.is_symlink():
            yield path


def unsent_records(folder: Path) -> list[Path]:
    """The files below `trials/` that the store never got; all else can be made from those again."""
    known = read_agreements(folder)
    return [
        path for path in sorted(files_of(folder / TRIALS)) if not is_synced(folder, path, known)
    ]


def is_synced(folder: Path, path: Path, known: Mapping[str, Agreement]) -> bool:
    """Whether a file of a run is what it was when it was equal in the store."""
    noted = known.get(path.relative_to(folder).as_posix())
    return noted is not None and noted.local == local_tag(path)


def has_digest(each: StoredObject, digest: str) -> bool:
    """Whether the store itself says that an object has a content of this MD5.

    No is no proof: what a store tells may be the digest of parts, or of what it encrypted.
    """
    if each.tag == digest:
        return True
    return each.tag == base64.b64encode(bytes.fromhex(digest)).decode()  # as Google writes it
