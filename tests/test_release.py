"""A release is checked as an index would check it, before anything is uploaded."""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from tests.installation import copy_source
from tests.patience import PATIENCE_S
from tests.release import (
    PROJECT,
    ROOT,
    TAKEN,
    complete,
    metadata_problems,
    metadata_text,
    publication_problems,
)

URL = "https://code.example.org/understudy"
GOOD = f"""\
Metadata-Version: 2.4
Name: cast
Version: 1.2.0
Summary: Plays parts.
Project-URL: Source, {URL}
Project-URL: Documentation, {URL}/docs
Project-URL: Changelog, {URL}/changes
Project-URL: Issues, {URL}/issues
Classifier: Topic :: Software Development :: Testing
Description-Content-Type: text/markdown

# Cast

[A page]({URL}/a.md), [a heading](#cast)

```sh
echo [not](a-link)
```
"""
DATED = "# Changelog\n\n## 1.2.0 (2026-01-31)\n"


def test_good_metadata_have_no_problem() -> None:
    assert list(metadata_problems(GOOD)) == []
    assert list(publication_problems(GOOD, DATED, "v1.2.0")) == []


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("Name: cast", "Name: -cast", "'-cast' is invalid for 'name'"),
        ("Version: 1.2.0", "Version: one", "'one' is invalid for 'version'"),
        (":: Testing", ":: Acting", "is not one of the index"),
        ("Summary: Plays parts.", "Summary:", "is empty"),
        (f"Source, {URL}", "Source, http://localhost/x", "no address of the web"),
        ("URL: Issues", f"URL: {'Issues' * 6}", "characters in its label"),
        ("text/markdown", "text/plain", "not text/markdown"),
    ],
)
def test_what_an_index_refuses_is_told(old: str, new: str, told: str) -> None:
    assert told in " ".join(metadata_problems(GOOD.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("Name: cast", f"Name: {min(TAKEN)}", "another project"),
        (f"Project-URL: Source, {URL}\n", "", "no URL for Source"),
        (f"{URL}/a.md", "docs/a.md", "1 links of the long description lead to files"),
        ("Version: 1.2.0", "Version: 1.3.0", "no heading '## 1.3.0 (DATE)'"),
        ("Version: 1.2.0", "Version: 1.3.0", "the tag is 'v1.2.0'"),
    ],
)
def test_what_a_publication_lacks_is_told(old: str, new: str, told: str) -> None:
    assert told in " ".join(publication_problems(GOOD.replace(old, new), DATED, "v1.2.0"))


def test_a_changelog_whose_version_is_unreleased_is_told() -> None:
    changelog = "## 1.2.0 (unreleased)\n"
    assert "CHANGELOG.md" in " ".join(publication_problems(GOOD, changelog, None))


@pytest.mark.slow
def test_wheel_and_source_archive_lead_to_where_the_project_is_published(tmp_path: Path) -> None:
    source, dist = tmp_path / "source", tmp_path / "dist"
    copy_source(source)
    for name in ("CHANGELOG.md", ".gitignore"):
        (source / name).write_bytes((ROOT / name).read_bytes())
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(dist)],
        cwd=source,
        env={"PROJECT_URL": f"{URL}/", "PATH": "/usr/bin"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (wheel,), (archive,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    text = metadata_text(wheel)
    assert metadata_text(archive) == text
    assert list(metadata_problems(text)) == []
    assert f"Project-URL: Source, {URL}\n" in text
    assert f"]({URL}/blob/v{PROJECT['version']}/docs/README.md)" in text
    dated = f"## {PROJECT['version']}\n"
    left = [f"the name {name!r} belongs to another project on the public index" for name in TAKEN]
    assert list(publication_problems(text, dated, None)) == left

    complete(dist)
    digest = sha256(wheel.read_bytes()).hexdigest()
    assert f"SHA256={digest}\n" in (dist / "Dockerfile").read_text(encoding="utf-8")
    sums = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=dist, check=False)
    assert sums.returncode == 0
