"""Large YAML files that were parsed before: their values as JSON in the user's cache folder.

Parsing YAML takes fifty times as long as JSON. What is kept is data, named by the hash of the text;
the folder may be deleted at any time.
"""

import os
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

import orjson

from mockserver.errors import MockServerError
from mockserver.model import Json
from mockserver.storage.home import private_folder, write_whole
from mockserver.storage.untrusted_yaml import load_yaml

_FORM = b"1"
"""Changes with what a text is parsed to, so that older entries are not found."""
_SMALL = 64 * 1024
_MOST_KEPT = 20
_NO_JSON = (".inf", ".nan", "!!binary", "!binary")
_OWNER_ONLY = 0o600


def cache_folder(environ: Mapping[str, str]) -> Path | None:
    """The folder: in `$UNDERSTUDY_HOME`, `$XDG_CACHE_HOME` or `~/.cache`; None without a home."""
    if environ.get("UNDERSTUDY_HOME"):
        return Path(environ["UNDERSTUDY_HOME"]).absolute() / "cache"
    cache = environ.get("XDG_CACHE_HOME", "")
    if cache.startswith("/"):
        return Path(cache) / "understudy"
    try:
        return Path.home() / ".cache" / "understudy"
    except RuntimeError:
        return None


def parse_yaml(text: str, name: str, folder: Path | None) -> Json:
    """What a YAML text stands for, kept for the next time where it is large.

    Args:
        text: The content.
        name: The file, for messages.
        folder: The cache, or None for no cache. One that cannot be used is done without.

    Raises:
        FormatError: Like `load_yaml`.
    """
    lower = text.lower() if len(text) > _SMALL else ""
    if folder is None or not lower or any(each in lower for each in _NO_JSON):
        return load_yaml(text, name)
    kept = folder / f"{blake2b(text.encode(), key=_FORM, digest_size=20).hexdigest()}.json"
    try:
        if kept.stat().st_uid == os.getuid():
            found: Json = orjson.loads(kept.read_bytes())
            return found
    except (OSError, orjson.JSONDecodeError):
        pass
    value = load_yaml(text, name)
    try:
        content = orjson.dumps(value)
        write_whole(private_folder(folder) / kept.name, content, mode=_OWNER_ONLY)
        _drop_oldest(folder)
    except (MockServerError, OSError, TypeError):
        pass  # the next start parses it again
    return value


def _drop_oldest(folder: Path) -> None:
    files = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in files[_MOST_KEPT:]:
        path.unlink(missing_ok=True)
