"""Both bundled suites as one: a tenant and a cloud project, for tests that need every API."""

from pathlib import Path
from shutil import copyfile

FIXTURES = Path(__file__).parents[1] / "fixtures"
SUITES = ("chrome-enterprise", "sre")


def write_both(folder: Path) -> Path:
    """A suite whose base is the bases of both."""
    base = folder / "base"
    base.mkdir(parents=True)
    for suite in SUITES:
        for path in sorted((FIXTURES / suite / "base").glob("*.json")):
            copyfile(path, base / f"{suite}-{path.name}")
    return folder
