"""The user's cache folder, and in it large YAML files that were parsed before, as JSON.

Parsing YAML takes fifty times as long as JSON. What is kept is data, named by the hash of the text;
the folder may be deleted at any time.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import orjson

from mockserver.errors import MockServerError
from mockserver.model import Json
from mockserver.storage.home import private_folder, write_whole

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
    from mockserver.storage.untrusted_yaml import load_yaml

    lower = text.lower() if len(text) > _SMALL else ""
    if folder is None or not lower or any(each in lower for each in _NO_JSON):
        return load_yaml(text, name)
    path = folder / f"{blake2b(text.encode(), key=_FORM, digest_size=20).hexdigest()}.json"
    value: Json
    try:
        value = orjson.loads(kept_file(path) or b"")
    except orjson.JSONDecodeError:
        value = load_yaml(text, name)
        with suppress(TypeError):
            keep_file(path, orjson.dumps(value), most=_MOST_KEPT)
    return value


def kept_file(path: Path) -> bytes | None:
    """The content of a file of the cache; None where there is none, or one of somebody else."""
    try:
        return path.read_bytes() if path.stat().st_uid == os.getuid() else None
    except OSError:
        return None


def keep_file(path: Path, content: bytes, *, most: int) -> None:
    """Put a file into the cache; where that is impossible, the next start does without.

    Args:
        path: The file.
        content: What is to be in it.
        most: How many files with its ending are kept; those that were written first go.
    """
    try:
        write_whole(private_folder(path.parent) / path.name, content, mode=_OWNER_ONLY)
        files = path.parent.glob(f"*{path.suffix}")
        for old in sorted(files, key=lambda each: each.stat().st_mtime, reverse=True)[most:]:
            old.unlink(missing_ok=True)
    except (MockServerError, OSError):
        pass
