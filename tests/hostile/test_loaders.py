"""Files that are spoilt: every reader refuses them in the project's own words, and soon."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.fuzz import Inputs, read
from tests.hostile.loaders import LOADERS, ROOT, Loader
from tests.hostile.mutations import Mutator

pytestmark = pytest.mark.slow

COUNT = 1_000


@pytest.mark.parametrize("loader", LOADERS, ids=[loader.name for loader in LOADERS])
def test_every_reader_reads_its_files_as_long_as_they_are_whole(
    loader: Loader, tmp_path: Path
) -> None:
    inputs = Inputs(0, tmp_path, loader.name)
    inputs.write_all()
    for name, content in inputs.whole(loader):
        found = read(inputs, loader, name, content)
        assert found is None, f"{name}: {found}"
        inputs.restore(loader, name)


def test_spoilt_files_do_no_harm() -> None:
    """Each input is read in a process of their own, within its share of CPU and memory."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile.fuzz", f"--count={COUNT}", "--whole"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"{COUNT} inputs" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0, done.stdout


def test_the_same_seed_spoils_files_alike() -> None:
    content = (ROOT / "cassettes/streaming/answer.yaml").read_bytes()

    def some(seed: int) -> list[bytes]:
        mutator = Mutator(random.Random(seed))
        return [mutator.spoiled("a.yaml", content, [b"x"]) for _ in range(50)]

    assert some(1) == some(1)
    assert some(1) != some(2)
