"""The way back from pseudonyms, sealed for the owner of the redaction key."""

from pathlib import Path

from mockserver.errors import CaptureError
from mockserver.redaction import Redactor, sealed_map, unsealed
from mockserver.storage.home import write_whole
from mockserver.storage.redaction_key import redaction_key

_OWNER_ALONE = 0o600


def check_seal(path: Path | None) -> None:
    """See to it, before anything is recorded, that a map can be added to.

    Raises:
        CaptureError: It was sealed with another key, or its folder is not there.
    """
    if path is None:
        return
    if not path.parent.is_dir():
        raise CaptureError(f"there is no folder {path.parent}")
    _known(path, _key())


def seal(path: Path, redactor: Redactor) -> int:
    """Write what each pseudonym stands for, encrypted; what an earlier capture wrote is kept.

    Returns:
        How many pseudonyms the map knows.

    Raises:
        CaptureError: It was sealed with another key.
        MockServerError: It cannot be written.
    """
    key = _key()
    known = _known(path, key) | {made: (kind, raw) for kind, made, raw in redactor.seen.rows()}
    write_whole(path, sealed_map(known, key), mode=_OWNER_ALONE)
    return len(known)


def _known(path: Path, key: bytes) -> dict[str, tuple[str, str]]:
    if not path.is_file():
        return {}
    try:
        held = unsealed(path.read_bytes(), key)
    except ValueError as error:
        raise CaptureError(
            f"{path}: {error}", hint="name another file, or set MOCKSERVER_REDACTION_KEY to its key"
        ) from error
    return {made: (secret.kind, secret.value) for made, secret in held.items()}


def _key() -> bytes:
    key = redaction_key(create=True)
    if key is None:
        raise CaptureError("there is no redaction key", hint="set MOCKSERVER_REDACTION_KEY")
    return key
