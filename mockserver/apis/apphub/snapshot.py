"""App Hub's resources, as a snapshot holds them."""

from mockserver.apis.apphub.state import RESOURCES
from mockserver.googleapi import SnapshotImport, named_rows


def import_snapshot(found: SnapshotImport) -> None:
    """Make the tables."""
    for resource in RESOURCES:
        found.tables[resource.collection] = named_rows(found, resource.collection, resource.pattern)
