import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from tests.installation import MOMENT, built_wheel, copy_source
from tests.patience import PATIENCE_S


def build(place: Path, umask: int) -> Path:
    """Build the wheel of this tree in a folder of its own."""
    source = place / "source"
    copy_source(source)
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(place / "dist")],
        cwd=source,
        env={**os.environ, "SOURCE_DATE_EPOCH": MOMENT},
        umask=umask,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (place / "dist").glob("*.whl")
    return wheel


@pytest.mark.slow
def test_two_builds_of_one_tree_are_the_same_bytes(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    wheels = [built_wheel(tmp_path_factory), build(tmp_path, 0o077)]
    assert wheels[0].name == wheels[1].name
    digests = {sha256(wheel.read_bytes()).hexdigest() for wheel in wheels}
    assert len(digests) == 1
