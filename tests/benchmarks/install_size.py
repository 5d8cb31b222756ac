"""What `pip install understudy` brings: how many packages, and how large they are."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from mockserver.googleapi import DocumentFolder
from mockserver.googleapi.document_pack import Origin, write_pack
from tests.benchmarks.figures import Figure
from tests.distributions import installed_bytes, needed, project_bytes

PACKAGES, MEGABYTES = 50, 110
_MEGABYTE = 1_000_000


def figures() -> Iterator[Figure]:
    found = needed()
    others = sum(installed_bytes(made) for name, made in found.items() if name != "understudy")
    size = others + project_bytes() + _pack_bytes()
    yield Figure("packages of the core, this one among them", len(found), PACKAGES - 1)
    yield Figure("installed size of the core, MB", size / _MEGABYTE, MEGABYTES)


def _pack_bytes() -> int:
    with tempfile.TemporaryDirectory() as folder:
        pack = Path(folder, "pack")
        write_pack(pack, Origin("google-api-python-client", "0", ""), DocumentFolder().path)
        return pack.stat().st_size
