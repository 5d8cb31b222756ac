"""Who may do what with buckets and objects: lists of access, predefined ones, IAM policies.

A list is a field of its bucket or object; without one it is what Storage gives to new ones.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from mockserver.collections import BY_KEY
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    LeftToConventionsError,
    etag,
    invalid,
    not_found,
    precondition,
)
from mockserver.googleapi.facts import project_of
from mockserver.model import JsonMapping, JsonObject

Entry = tuple[str, str]
"""An entity and its role."""
Find = Callable[[Call], tuple[str, str, JsonObject, JsonMapping]]
"""The table, the key and the row of what a call is about, and its bucket."""
_LINK = "https://www.googleapis.com/storage/v1/b/"
_PUBLIC = frozenset({"allUsers", "allAuthenticatedUsers"})
_ROLES = frozenset({"OWNER", "WRITER", "READER"})
_TEAM = (("owners", "OWNER"), ("editors", "OWNER"), ("viewers", "READER"))
_PREDEFINED: Mapping[str, Sequence[Entry]] = {
    "private": (),
    "projectPrivate": _TEAM,
    "authenticatedRead": (("allAuthenticatedUsers", "READER"),),
    "publicRead": (("allUsers", "READER"),),
    "publicReadWrite": (("allUsers", "WRITER"),),
    "bucketOwnerRead": (("owners", "READER"),),
    "bucketOwnerFullControl": (("owners", "OWNER"),),
}
"""Names of predefined lists to what they give beside the owner."""


class AccessList(NamedTuple):
    """One of the three lists.

    Attributes:
        field: The field that has it.
        kind: What its entries are.
        table: The collection of entries that a snapshot holds.
        path: What stands before the entity in the path of an entry.
        predefined: The parameter that names a predefined one.
    """

    field: str
    kind: str
    table: str
    path: str
    predefined: str


_OF_BUCKETS = AccessList(
    "acl", "bucketAccessControl", "bucketAccessControls", "b/{bucket}/acl", "predefinedAcl"
)
_OF_DEFAULTS = AccessList(
    "defaultObjectAcl", "objectAccessControl", "defaultObjectAccessControls",
    "b/{bucket}/defaultObjectAcl", "predefinedDefaultObjectAcl",
)  # fmt: skip
_OF_OBJECTS = AccessList(
    "acl", "objectAccessControl", "objectAccessControls", "b/{bucket}/o/{object}/acl",
    "predefinedAcl",
)  # fmt: skip
LISTS = {"buckets": (_OF_BUCKETS, _OF_DEFAULTS), "objects": (_OF_OBJECTS,)}


def is_uniform(bucket: JsonMapping) -> bool:
    """Whether a bucket has no lists of access."""
    found = (bucket.get("iamConfiguration") or {}).get("uniformBucketLevelAccess") or {}
    return bool(found.get("enabled"))


def _numbered(call: Call, bucket: JsonMapping) -> str:
    project = str(call.params.get("project") or bucket.get("projectId") or "project")
    return str(bucket.get("projectNumber") or project_of(call, f"projects/{project}")[1])


def _predefined(call: Call, name: str, row: JsonMapping, bucket: JsonMapping) -> list[Entry]:
    """The entries of a predefined list."""
    if name not in _PREDEFINED:
        raise invalid(f"Invalid value '{name}' for predefinedAcl.", location="predefinedAcl")
    number = _numbered(call, bucket)
    owner = (row.get("owner") or {}).get("entity")
    team = {each: f"project-{each}-{number}" for each, _ in _TEAM}
    first = [(owner, "OWNER")] if owner else [(team["owners"], "OWNER")]
    given = [(team.get(entity, entity), role) for entity, role in _PREDEFINED[name]]
    return [*first, *(each for each in given if each[0] != first[0][0])]


def _path(which: AccessList, row: JsonMapping) -> str:
    name = str(row.get("name", ""))
    bucket = str(row.get("bucket") or name)
    return which.path.format(bucket=bucket, object=name.replace("/", "%2F"))


def _entries(
    call: Call, which: AccessList, row: JsonMapping, bucket: JsonMapping
) -> dict[str, str]:
    """The entities of a list with their roles: its own, a snapshot's, or what is usual."""
    own = row.get(which.field)
    if own is None:
        held = call.world.table(f"storage:v1/{which.table}")
        own = list(held.starting(BY_KEY, f"{_path(which, row)}/")) if len(held) else None
    if own:
        return {str(each["entity"]): str(each.get("role", "READER")) for each in own}
    asked = {} if which is _OF_DEFAULTS else row
    return dict(_predefined(call, "projectPrivate", asked, bucket))


def _access_entry(which: AccessList, row: JsonMapping, entity: str, role: str) -> JsonObject:
    """An entry as callers see it."""
    kind, _, rest = entity.partition("-")
    path, name = _path(which, row), str(row.get("bucket") or row.get("name"))
    ident = [name, *([str(row["name"])] if which is _OF_OBJECTS else []), entity]
    shown: JsonObject = {
        "kind": f"storage#{which.kind}",
        "entity": entity,
        "role": role,
        "etag": etag({"entity": entity, "role": role, "of": path}).strip('"'),
    }
    if which is not _OF_DEFAULTS:
        shown |= {"id": "/".join(ident), "selfLink": f"{_LINK[:-2]}{path}/{entity}", "bucket": name}
    if which is _OF_OBJECTS:
        shown |= {"object": row["name"], "generation": str(row.get("generation", ""))}
    if kind in {"user", "group"}:
        shown["email"] = rest
    elif kind == "domain":
        shown["domain"] = rest
    elif kind == "project":
        team, _, number = rest.partition("-")
        shown["projectTeam"] = {"team": team, "projectNumber": number}
    return shown


def with_access(call: Call, row: JsonObject, bucket: JsonMapping, of: str) -> JsonObject:
    """A bucket or an object as callers see it: with lists and owner where they ask for all."""
    fields = [each.field for each in LISTS[of]]
    wants = call.params.get("projection") == "full" or any(each in call.body for each in fields)
    if not wants or is_uniform(bucket):
        hidden = {*fields, "owner"}
        return {key: each for key, each in row.items() if key not in hidden}
    lists = {
        which.field: [
            _access_entry(which, row, *each) for each in _entries(call, which, row, bucket).items()
        ]
        for which in LISTS[of]
    }
    return {**row, **lists}


def with_given_access(call: Call, row: JsonObject, bucket: JsonMapping, of: str) -> JsonObject:
    """A row with the lists that a call gives it, by names or one by one.

    Raises:
        ApiError: 400 where the bucket has no lists, 412 for public access that it prevents.
    """
    for which in LISTS[of]:
        names = (which.predefined, "destinationPredefinedAcl") if of == "objects" else ()
        several = (call.params.get(each) for each in names or (which.predefined,))
        name = next((str(each) for each in several if each), "")
        given = call.body.get(which.field)
        if not name and not given:
            continue
        _check_lists(bucket)
        entries = _predefined(call, name, row, bucket) if name else _read(given or [])
        _check_public(bucket, [entity for entity, _ in entries])
        row = {**row, which.field: [{"entity": e, "role": r} for e, r in entries]}
    return row


def _read(given: Sequence[JsonMapping]) -> list[Entry]:
    found = [(str(each.get("entity", "")), str(each.get("role", "")).upper()) for each in given]
    wrong = next((role for entity, role in found if not entity or role not in _ROLES), None)
    if wrong is not None:
        raise invalid(f"Invalid value '{wrong}' for a role of access.", location="acl")
    return found


def _check_lists(bucket: JsonMapping) -> None:
    if is_uniform(bucket):
        text = "Cannot use ACL API to update bucket policy when uniform bucket-level access is "
        raise invalid(f"{text}enabled. Read more at https://cloud.google.com/storage/docs/uniform-"
                      "bucket-level-access")  # fmt: skip


def _check_public(bucket: JsonMapping, entities: Sequence[str]) -> None:
    prevention = (bucket.get("iamConfiguration") or {}).get("publicAccessPrevention")
    if prevention == "enforced" and _PUBLIC.intersection(entities):
        text = "The member bindings allUsers and allAuthenticatedUsers are not allowed since "
        raise precondition(f"{text}public access prevention is enforced.")


def _on_list(which: AccessList, verb: str, find: Find, call: Call) -> JsonObject | None:
    """Answers the methods of one list.

    Raises:
        ApiError: 400 where the bucket has no lists, 404 for an entity that it does not name, 412
            for public access that the bucket prevents.
    """
    table, key, row, bucket = find(call)
    _check_lists(bucket)
    entries = _entries(call, which, row, bucket)
    entity = str(call.params.get("entity") or call.body.get("entity") or "")
    if verb == "list":
        shown = [_access_entry(which, row, *each) for each in entries.items()]
        return {"kind": f"storage#{which.kind}s", "items": shown}
    if verb != "insert" and entity not in entries:
        raise not_found(f"The specified entity {entity!r} has no access.", name=entity)
    if verb == "get":
        return _access_entry(which, row, entity, entries[entity])
    after = {name: role for name, role in entries.items() if name != entity or verb != "delete"}
    if verb != "delete":
        [(entity, role)] = _read([{"role": entries.get(entity), **call.body, "entity": entity}])
        _check_public(bucket, [entity])
        after[entity] = role
    kept = [{"entity": name, "role": role} for name, role in after.items()]
    count = str(int(row.get("metageneration") or 1) + 1)
    call.world.put(table, key, {**row, which.field: kept, "metageneration": count})
    return None if verb == "delete" else _access_entry(which, row, entity, after[entity])


def access_handlers(of_bucket: Find, of_object: Find) -> Mapping[str, Handler]:
    """Handlers of the lists of access.

    Args:
        of_bucket: Finds the bucket of a call.
        of_object: Finds its object.
    """
    finders = ((_OF_BUCKETS, of_bucket), (_OF_DEFAULTS, of_bucket), (_OF_OBJECTS, of_object))
    return {
        f"storage.{which.table}.{verb}": partial(_on_list, which, verb, find)
        for which, find in finders
        for verb in ("list", "get", "insert", "patch", "update", "delete")
    }


def check_policy(call: Call, bucket: JsonMapping) -> None:
    """Leave the policy of a bucket to conventions, where the bucket allows it.

    Raises:
        ApiError: 412 for conditions without uniform access, and for public access that the bucket
            prevents; 400 for conditions in a policy of an earlier version.
        LeftToConventionsError: Always else.
    """
    bindings = call.body.get("bindings") or []
    if any(each.get("condition") for each in bindings):
        if not is_uniform(bucket):
            text = "To use IAM conditions, enable uniform bucket-level access on the bucket first."
            raise precondition(text)
        if int(call.body.get("version") or 1) < 3:
            text = "The policy version should be set to at least 3 when it has conditions."
            raise ApiError(400, text, reason="invalid")
    _check_public(bucket, [name for each in bindings for name in each.get("members") or ()])
    raise LeftToConventionsError
