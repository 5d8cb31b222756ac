"""Puts the bundled suites and their agents into the wheel; everything else is in pyproject.toml."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithSuites(build_py):
    """Copies `fixtures/` to `harness/suites/` of what is built; a checkout is used where it is."""

    def run(self) -> None:
        """Build the packages, then copy the suites."""
        super().run()
        if self.editable_mode:
            return
        target = Path(self.build_lib) / "harness" / "suites"
        for path in sorted(Path("fixtures").rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                copy = target / path.relative_to("fixtures")
                self.mkpath(str(copy.parent))
                self.copy_file(str(path), str(copy))


setup(cmdclass={"build_py": BuildWithSuites})
