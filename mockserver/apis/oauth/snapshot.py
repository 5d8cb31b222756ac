"""Reads domain-wide delegations: a client, and the scopes that an administrator gave it."""

from mockserver.apis.oauth import DELEGATIONS
from mockserver.errors import Problem
from mockserver.googleapi.raw_snapshot import SnapshotImport, each_object
from mockserver.model import JsonObject

_FIELDS = {"client", "scopes"}


def import_snapshot(found: SnapshotImport) -> None:
    """Read `domainWideDelegations`; one without a `client` is for every service account."""
    rows: dict[str, JsonObject] = {}
    for pointer, row in each_object(found, DELEGATIONS):
        scopes = row.get("scopes")
        if not isinstance(scopes, list) or not all(isinstance(each, str) for each in scopes):
            found.problems.append(Problem(f"{pointer}/scopes", "expected an array of scopes"))
            continue
        found.problems += [
            Problem(f"{pointer}/{name}", "a delegation has `client` and `scopes`")
            for name in row.keys() - _FIELDS
        ]
        rows[str(len(rows))] = row
    found.tables[DELEGATIONS] = rows
