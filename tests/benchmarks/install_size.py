"""What `pip install understudy` brings: how many packages, and how large they are."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from mockserver.fronts.grpc import descriptor_pack
from mockserver.googleapi import DocumentFolder, document_pack
from tests.benchmarks.figures import Figure
from tests.distributions import clients, installed_bytes, needed, project_bytes

PACKAGES, MEGABYTES = 50, 110
_MEGABYTE = 1_000_000


def figures() -> Iterator[Figure]:
    found = needed()
    others = sum(installed_bytes(made) for name, made in found.items() if name != "understudy")
    size = others + project_bytes() + _packed_bytes()
    yield Figure("packages of the core, this one among them", len(found), PACKAGES - 1)
    yield Figure("installed size of the core, MB", size / _MEGABYTE, MEGABYTES)


def _packed_bytes() -> int:
    with tempfile.TemporaryDirectory() as folder:
        documents, messages = Path(folder, "documents"), Path(folder, "messages")
        origin = document_pack.Origin("google-api-python-client", "0", "")
        document_pack.write_pack(documents, origin, DocumentFolder().path)
        descriptor_pack.write_pack(messages, clients())
        return documents.stat().st_size + messages.stat().st_size
