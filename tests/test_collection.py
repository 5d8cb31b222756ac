"""Tests have the same names in every process, or no two workers agree on what to run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
COLLECT = """\
import sys, time
real, ahead = time.time, float(sys.argv[1])
time.time = lambda: real() + ahead
import pytest
sys.exit(pytest.main(["--collect-only", "-q", "-p", "no:cacheprovider", *sys.argv[2:]]))
"""
MONTH = 30 * 86400


def collecting(folder: Path, hash_seed: int, *paths: str) -> "subprocess.Popen[str]":
    """Start a process that lists the tests, in another month for each hash seed."""
    return subprocess.Popen(
        [sys.executable, "-c", COLLECT, str(hash_seed * MONTH), *paths],
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed)},
        cwd=folder, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def names(process: "subprocess.Popen[str]") -> list[str]:
    listed = process.communicate()[0]
    assert process.returncode == 0, listed[-2000:]
    return [line for line in listed.splitlines() if "::" in line]


def test_tests_have_the_same_names_in_every_process() -> None:
    """Another hash seed, another month, other addresses and random numbers: the same names."""
    processes = [collecting(ROOT, hash_seed) for hash_seed in (1, 2)]
    first, second = (names(process) for process in processes)
    assert len(first) > 10_000
    assert [pair for pair in zip(first, second, strict=True) if pair[0] != pair[1]] == []


@pytest.mark.parametrize(
    "values",
    ["{'ada', 'bob', 'cyd', 'dan'}", "[gzip.compress(b'')]", "[str(random.random())]"],
    ids=["order of a set", "time of a file", "random number"],
)  # fmt: skip
def test_what_changes_from_process_to_process_is_seen(values: str, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import gzip, pytest, random\n"
        f"@pytest.mark.parametrize('value', {values})\n"
        "def test_it(value): pass\n",
        encoding="utf-8",
    )
    processes = [collecting(tmp_path, hash_seed, "test_it.py") for hash_seed in (1, 2)]
    first, second = (names(process) for process in processes)
    assert len(first) == len(second) > 0
    assert first != second
