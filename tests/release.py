"""`python -m tests.release dist` checks what a release uploads, and completes the folder.

Beside the wheel and the source archive it writes the image file, which is pinned to the wheel's
bytes, and the checksums. With `--publish` it also holds what only a publication needs.
"""

import os
import re
import shutil
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from packaging.metadata import Metadata
from trove_classifiers import classifiers, deprecated_classifiers

from tests.documents import without_blocks

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
URLS = {"Source", "Documentation", "Changelog", "Issues"}
TAKEN = {"understudy"}
"""Names that belong to other projects on the public index."""

LONGEST_LABEL = 32
"""Characters that an index takes for the label of a URL."""

_RELATIVE = re.compile(r"\]\((?![a-z]+:|#)([^)\s]+)\)")


def metadata_text(archive: Path) -> str:
    """The metadata of a wheel or of a source archive, as they stand in it."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            (name,) = (each for each in wheel.namelist() if each.endswith(".dist-info/METADATA"))
            return wheel.read(name).decode()
    with tarfile.open(archive) as source:
        (found,) = (each for each in source if re.fullmatch("[^/]+/PKG-INFO", each.name))
        held = source.extractfile(found)
        assert held is not None
        return held.read().decode()


def metadata_problems(text: str) -> Iterator[str]:
    """What an index would refuse."""
    try:
        metadata = Metadata.from_email(text)
    except ExceptionGroup as errors:
        yield from map(str, errors.exceptions)
        return
    for each in metadata.classifiers or ():
        if each in deprecated_classifiers or each not in classifiers:
            yield f"classifier {each!r} is not one of the index"
    for label, url in (metadata.project_urls or {}).items():
        host = urlsplit(url).hostname or ""
        if not url.startswith("https://") or "." not in host:
            yield f"URL {label}: {url!r} is no address of the web"
        if len(label) > LONGEST_LABEL:
            yield f"URL {label!r} has more than {LONGEST_LABEL} characters in its label"
    if not (metadata.summary and metadata.description):
        yield "the summary or the long description is empty"
    if metadata.description_content_type != "text/markdown":
        yield f"the long description is {metadata.description_content_type!r}, not text/markdown"


def publication_problems(text: str, changelog: str, tag: str | None) -> Iterator[str]:
    """What a published release needs beside what an index takes.

    Args:
        text: The metadata.
        changelog: CHANGELOG.md.
        tag: The tag that is released, where one is known.
    """
    metadata = Metadata.from_email(text)
    version = str(metadata.version)
    if metadata.name in TAKEN:
        yield f"the name {metadata.name!r} belongs to another project on the public index"
    if missing := sorted(URLS - (metadata.project_urls or {}).keys()):
        yield f"no URL for {', '.join(missing)}: build with PROJECT_URL=https://..."
    links = _RELATIVE.findall(without_blocks(metadata.description or ""))
    if links:
        yield f"{len(links)} links of the long description lead to files, such as {links[0]}"
    if not re.search(
        rf"^## {re.escape(version)}( \(\d{{4}}-\d\d-\d\d\))?$", changelog, re.MULTILINE
    ):
        yield f"CHANGELOG.md has no heading '## {version} (DATE)'"
    if tag is not None and tag != f"v{version}":
        yield f"the tag is {tag!r}, not 'v{version}'"


def image_file(wheel: Path) -> str:
    """The image file for the folder of a wheel, which takes no other wheel."""
    text = (ROOT / "docs" / "Dockerfile").read_text(encoding="utf-8")
    text = text.replace("WHEEL=dist/*.whl", f"WHEEL={wheel.name}")
    return text.replace('SHA256=""', f"SHA256={sha256(wheel.read_bytes()).hexdigest()}")


def complete(folder: Path) -> None:
    """Write the image file, what it reads, and the checksums of all files."""
    (wheel,) = folder.glob("*.whl")
    (folder / "Dockerfile").write_text(image_file(wheel), encoding="utf-8")
    shutil.copy(ROOT / "constraints.txt", folder)
    sums = folder / "SHA256SUMS"
    files = sorted(path for path in folder.iterdir() if path != sums)
    lines = (f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
    sums.write_text("".join(lines), encoding="utf-8")


def main(folder: Path, *, publish: bool) -> int:
    """Check and complete a folder; the exit code."""
    wheel, source = *folder.glob("*.whl"), *folder.glob("*.tar.gz")
    text = metadata_text(wheel)
    problems = [f"{each.name}: {what}" for each in (wheel, source)
                for what in metadata_problems(metadata_text(each))]  # fmt: skip
    if metadata_text(source) != text:
        problems.append(f"{source.name} has other metadata than {wheel.name}")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    left = list(publication_problems(text, changelog, os.environ.get("RELEASE_TAG")))
    if publish:
        problems += left
    if problems:
        sys.stderr.write("".join(f"{each}\n" for each in problems))
        return 1
    complete(folder)
    sys.stdout.write("".join(f"{folder / path.name}\n" for path in sorted(folder.iterdir())))
    sys.stdout.write("".join(f"before it is published: {each}\n" for each in left))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), publish="--publish" in sys.argv[2:]))
