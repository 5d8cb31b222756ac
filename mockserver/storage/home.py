"""Where the files live that outlast a server: authority and keys, never in a project."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from mockserver.errors import MockServerError

_OWNER_ONLY = 0o700


def home_folder(environ: Mapping[str, str]) -> Path:
    """The folder: `$UNDERSTUDY_HOME`, `$XDG_DATA_HOME/understudy`, `~/.local/share/understudy`.

    Raises:
        MockServerError: None of them is set, and neither is a home folder.
    """
    if environ.get("UNDERSTUDY_HOME"):
        return Path(environ["UNDERSTUDY_HOME"]).absolute()
    data = environ.get("XDG_DATA_HOME", "")
    if data.startswith("/"):  # a relative one is to be ignored, says its specification
        return Path(data) / "understudy"
    try:
        return Path.home() / ".local" / "share" / "understudy"
    except RuntimeError as error:
        raise MockServerError(
            "there is no home folder to keep the certificate authority and the redaction key in",
            hint="set UNDERSTUDY_HOME to a folder outside the project",
        ) from error


def private_folder(path: Path) -> Path:
    """Make a folder that only its owner may enter.

    Raises:
        MockServerError: It cannot be made.
    """
    try:
        path.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
        if path.stat().st_mode & 0o077:
            path.chmod(_OWNER_ONLY)
    except OSError as error:
        raise MockServerError(
            f"cannot use {path}: {error.strerror or error}",
            hint="set UNDERSTUDY_HOME to a folder that can be written",
        ) from error
    return path


def write_whole(path: Path, content: bytes, *, mode: int, replace: bool = True) -> bool:
    """Write a file whole or not at all; nobody ever sees a part of it.

    Args:
        path: The file.
        content: What is to be in it.
        mode: Its permissions.
        replace: False leaves a file that is there already.

    Returns:
        Whether it was written.

    Raises:
        MockServerError: The folder cannot be written.
    """
    try:
        return _write_file(path, content, mode, replace=replace)
    except OSError as error:
        raise MockServerError(
            f"cannot write {path}: {error.strerror or error}",
            hint="set UNDERSTUDY_HOME to a folder that can be written",
        ) from error


def _write_file(path: Path, content: bytes, mode: int, *, replace: bool) -> bool:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(handle, mode)
            file.write(content)
            file.flush()
            os.fsync(handle)
        if replace:
            draft.replace(path)
            return True
        path.hardlink_to(draft)  # unlike a rename, it never takes the place of another
    except FileExistsError:
        return False
    finally:
        draft.unlink(missing_ok=True)
    return True
