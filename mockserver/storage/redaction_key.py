"""The key that makes the pseudonyms: the same pseudonyms for as long as it is kept."""

import base64
import os
import secrets

from mockserver.errors import MockServerError
from mockserver.storage.home import home_folder, private_folder, write_whole

VARIABLE = "MOCKSERVER_REDACTION_KEY"
"""Holds the key, any text; a team that shares cassettes shares it."""

_FILE = "redaction.key"
_OWNER_ONLY = 0o600
_BYTES = 32
_SHORTEST = 8


def redaction_key(*, create: bool) -> bytes | None:
    """The key: the text of `$MOCKSERVER_REDACTION_KEY`, or a private file in the home folder.

    Args:
        create: Whether one is made where there is none: captures make one, replays never do.

    Returns:
        None where there is none and none was to be made.

    Raises:
        MockServerError: The variable holds too little, the file cannot be read or is empty, others
            may read it, or it cannot be written.
    """
    given = os.environ.get(VARIABLE, "").strip()
    if given:
        return _checked(given, VARIABLE)
    path = home_folder(os.environ) / _FILE
    if not path.exists():
        if not create:
            return None
        private_folder(path.parent)
        made = base64.urlsafe_b64encode(secrets.token_bytes(_BYTES)) + b"\n"
        # of two captures that begin at once, one makes it and both use it
        write_whole(path, made, mode=_OWNER_ONLY, replace=False)
    try:
        if path.stat().st_mode & 0o077:
            raise MockServerError(
                f"{path} may be read by others", hint=f"chmod 600 {path}, or remove it"
            )
        return _checked(path.read_text(encoding="utf-8").strip(), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise MockServerError(f"the redaction key {path} cannot be read") from error


def _checked(text: str, where: str) -> bytes:
    if len(text) < _SHORTEST:
        raise MockServerError(
            f"the redaction key of {where} has fewer than {_SHORTEST} characters",
            hint="anybody could find out what its pseudonyms stand for",
        )
    return text.encode()
