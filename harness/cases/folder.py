"""A suite's folder: where base and overrides are, and a guard for every path that a case names."""

from dataclasses import dataclass
from pathlib import Path

_NOT_OVERRIDES = frozenset({"base", "cases", "fixtures"})
_CASSETTES = frozenset({".yaml", ".yml", ".json"})


@dataclass(frozen=True)
class SuiteFolder:
    """The files of a suite; nothing outside of it is ever named by it.

    Attributes:
        path: The suite's folder.
    """

    path: Path

    @property
    def fixtures(self) -> Path:
        """Where `base/` and the override folders are: the folder itself, or its `fixtures/`."""
        nested = self.path / "fixtures"
        return nested if (nested / "base").is_dir() else self.path

    def holds(self, path: Path) -> bool:
        """Whether a path, links followed, stays inside the suite."""
        return path.resolve().is_relative_to(self.path.resolve())

    def relative(self, path: Path) -> str:
        """A path inside the suite as the cases name it."""
        return path.relative_to(self.path).as_posix()

    def overrides(self) -> tuple[str, ...]:
        """The names of all override folders, sorted."""
        folders = self.fixtures.iterdir() if self.fixtures.is_dir() else ()
        return tuple(
            sorted(
                folder.name
                for folder in folders
                if folder.is_dir() and folder.name not in _NOT_OVERRIDES and _has_layer(folder)
            )
        )

    def has_override(self, name: str) -> bool:
        """Whether there is an override folder of this name."""
        return name not in _NOT_OVERRIDES and _has_layer(self.fixtures / name)

    def cassettes(self) -> tuple[str, ...]:
        """The names of the suite's cassettes, sorted: their files' without what follows the dot."""
        files = (self.path / "cassettes").glob("*")
        return tuple(sorted(path.stem for path in files if path.suffix in _CASSETTES))

    def layers(self, name: str) -> tuple[Path, ...]:
        """The files of one override, or the one file that it names."""
        if name.endswith(".json"):
            return (self.fixtures / name,)
        folder = self.fixtures / name
        return (*folder.glob("overrides.json"), *sorted(folder.glob("*.patch.json")))


def _has_layer(folder: Path) -> bool:
    return (folder / "overrides.json").is_file() or any(folder.glob("*.patch.json"))
