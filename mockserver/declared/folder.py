"""Where a suite's declarations are."""

from pathlib import Path

FOLDER = "apis"
"""Where a suite's declarations are."""

_ENDINGS = frozenset({".json", ".yaml", ".yml"})


def declaration_files(suite: Path) -> tuple[Path, ...]:
    """The declaration files of a suite's folder, by name; `apis/` or `fixtures/apis/`."""
    folders = (suite / FOLDER, suite / "fixtures" / FOLDER)
    folder = next((each for each in folders if each.is_dir()), None)
    if folder is None:
        return ()
    return tuple(sorted(path for path in folder.iterdir() if path.suffix in _ENDINGS))
