"""Lists whose parameters mean what only reference pages tell: Storage, People, devices, ..."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product

from mockserver.apis.generic.collections import ROOMS
from mockserver.apis.generic.parameter_rules import (
    by_filter,
    equal_to,
    having,
    in_window,
    without,
)
from mockserver.collections import BY_KEY, Store
from mockserver.collections.places import value_at
from mockserver.collections.selections import AnyOf, Selection, Without
from mockserver.googleapi import Call, Method, invalid
from mockserver.googleapi.list_rules import (
    ListRules,
    Order,
    Ranked,
    Rows,
    SentParameter,
    UnservedError,
    field_of,
    marked,
)
from mockserver.model import Json, JsonObject
from mockserver.state import groups_of_member, is_customer


class Prefix(dict[str, Json]):
    """Stands among the rows of a list for those below a prefix, which it names."""


# Storage

_FOLDERS = ("storage:v1/folders", "storage:v1/managedFolders")
_LEVELS = ("delimiter", "includeTrailingDelimiter", "includeFoldersAsPrefixes")


def _by_glob(sent: SentParameter) -> Selection:
    """Matches names: `*` and `?` within a level, `**` across, `[a-z]` and `{a,b}`."""
    pattern = re.compile(_regex_of_glob(str(sent.value)))

    def test(row: JsonObject) -> bool:
        return bool(pattern.fullmatch(str(row.get("name", ""))))

    return sent.tested(test, f"names like {sent.value}")


_GLOB = re.compile(r"\*\*/?|\*|\?|\[[!^]?[^\]]+\]|\{|\}|,|\\.|.", re.DOTALL)
_SIGNS = {"**": ".*", "**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]", "{": "(?:"}


def _regex_of_glob(glob: str) -> str:
    made, depth = [], 0
    for part in _GLOB.findall(glob):
        if part in _SIGNS:
            depth += part == "{"
            made.append(_SIGNS[part])
        elif depth and part in {"}", ","}:
            depth -= part == "}"
            made.append(")" if part == "}" else "|")
        elif part.startswith("[") and len(part) > 1:
            body = part[1:-1].replace("\\", "\\\\").replace("[", "\\[")
            made.append(f"[^{body[1:]}]" if body[0] in "!^" else f"[{body}]")
        else:
            made.append(re.escape(part.removeprefix("\\") or part))
    if depth:
        raise invalid("Invalid argument.", location="matchGlob")
    return "".join(made)


def _in_levels(call: Call, rows: Rows) -> Rows:
    """Objects, and in place of those below a prefix the prefix, where levels are asked for."""
    params = call.params
    sign, start = str(params.get("delimiter") or ""), len(str(params.get("prefix", "")))
    if params.get("includeFoldersAsPrefixes") is True and sign != "/":
        raise invalid("Folders are prefixes of the delimiter '/'.", location="delimiter")
    if not sign:
        return rows
    found: dict[str, JsonObject] = {}
    for row in rows:
        name = str(row.get("name", ""))
        end = name.find(sign, start)
        if end < 0:
            found[name] = row
            continue
        prefix = name[: end + len(sign)]
        found.setdefault(f"{prefix}\0", Prefix(name=prefix))
        if prefix == name and params.get("includeTrailingDelimiter") is True:
            found[name] = row
    if params.get("includeFoldersAsPrefixes") is True:
        for table, parent in product(_FOLDERS, (str(params["bucket"]), "-")):
            start_of_keys = f"b/{parent}/{table.rpartition('/')[2]}/"
            for row in call.world.table(table).starting(BY_KEY, start_of_keys):
                name = f"{str(row.get('name', '')).rstrip('/')}/"
                prefix = name[: name.find("/", start) + 1]
                if name.startswith(str(params.get("prefix", ""))) and prefix:
                    found.setdefault(f"{prefix}\0", Prefix(name=prefix))
    return [found[key] for key in sorted(found)]


def _folder_level(sent: SentParameter) -> Selection:
    """The folders that are the prefix, or one level below it."""
    start = str(sent.call.params.get("prefix", ""))

    def test(row: JsonObject) -> bool:
        return "/" not in str(row.get("name", "")).removeprefix(start).rstrip("/")

    return sent.tested(test, f"one level below {start!r}")


def _is_soft_deleted(row: JsonObject) -> bool:
    return bool(row.get("softDeleteTime"))


def _soft_deleted(sent: SentParameter) -> Selection | None:
    gone = marked(sent.table, _is_soft_deleted, "soft-deleted")
    return gone if sent.value is True else Without(sent.table, gone)


_WITHOUT_OLD = without(lambda row: row.get("timeDeleted"), "old generations")


def _live_objects(sent: SentParameter) -> Selection | Order | None:
    return None if sent.call.params.get("softDeleted") is True else _WITHOUT_OLD(sent)


_CONTEXT = re.compile(r'(-?)contexts\."([^"]+)"(:\*|="([^"]*)")')


def _by_context(sent: SentParameter) -> Selection:
    """Matches `contexts."key":*` and `contexts."key"="value"`, with `-` in front the others.

    Raises:
        UnservedError: It is of another form.
    """
    found = _CONTEXT.fullmatch(str(sent.value).strip())
    if found is None:
        raise UnservedError('only contexts."key":* and contexts."key"="value" are known')
    no, key, kind, value = found.groups()

    def test(row: JsonObject) -> bool:
        own = ((row.get("contexts") or {}).get("custom") or {}).get(key)
        has = own is not None and (kind == ":*" or own.get("value") == value)
        return has is not bool(no)

    return sent.tested(test, f"filter {sent.value}")


def _of_keys(sent: SentParameter) -> Selection | Order | None:
    return None if sent.value is True else _WITHOUT_DELETED_KEYS(sent)


_WITHOUT_DELETED_KEYS = without(lambda row: row.get("state") == "DELETED", "deleted keys")


def _keep_all(sent: SentParameter) -> None:
    """Keep all rows: what arranges them reads the parameter."""


_BY_NAME = Ranked(
    "name and generation",
    lambda row: (2, str(row.get("name", "")), str(row.get("generation", ""))),
    timed=False,
)


def _from_name(sent: SentParameter) -> Selection:
    return sent.field("name").between(sent.table, str(sent.value))


def _until_name(sent: SentParameter) -> Selection:
    return sent.field("name").between(sent.table, "", str(sent.value))


# Devices

_TERM = re.compile(r'\s*(?:(\w+):)?("[^"]*"|\S+)')
_OF_DEVICES: Mapping[str, str] = {
    "id": "serialNumber", "serial": "serialNumber", "status": "status", "user": "annotatedUser",
    "location": "annotatedLocation", "note": "notes", "asset_id": "annotatedAssetId",
    "model": "model", "os": "os", "email": "email", "name": "name", "type": "type",
    "imei": "imei", "device_id": "deviceId", "os_version": "osVersion",
}  # fmt: skip
"""Words of queries to the fields that they are about."""
_SEARCHED = tuple(dict.fromkeys((*_OF_DEVICES.values(), "recentUsers")))


def _by_device_query(sent: SentParameter) -> Selection | None:
    """Matches `status:ACTIVE user:ann`, and bare words anywhere; a field has the words in it.

    Raises:
        UnservedError: It is about something that rows do not tell.
    """
    asked: list[tuple[Sequence[str], str]] = []
    for name, quoted in _TERM.findall(str(sent.value)):
        word = quoted.strip('"').casefold()
        if name and name not in _OF_DEVICES:
            raise UnservedError(f"what {name!r} asks of a device is not known")
        fields = (_OF_DEVICES[name],) if name else _SEARCHED
        asked.append((fields, word))
    if not asked:
        return None

    def test(row: JsonObject) -> bool:
        return all(_has_word(row, fields, word) for fields, word in asked)

    return sent.tested(test, f"query {sent.value}")


def _has_word(row: JsonObject, fields: Sequence[str], word: str) -> bool:
    return any(word in str(row.get(name, "")).casefold() for name in fields)


def in_org_unit(table: Store, path: str, *, deep: bool) -> Selection:
    """The devices of an org unit, and where that is asked for of the units below."""
    field = field_of("orgUnitPath")
    here = field.equal(table, [path])
    return AnyOf([here, field.starting(table, f"{path.rstrip('/')}/")]) if deep else here


def _in_org_unit(sent: SentParameter) -> Selection:
    """The rows of an org unit, of the units below too where that is asked for."""
    path = "/" + str(sent.value).strip("/")
    deep = sent.call.params.get("includeChildOrgunits") is True
    return in_org_unit(sent.table, path, deep=deep)


def _assigned_to(sent: SentParameter) -> Selection:
    """The assignments of an account, of its groups too where that is asked for."""
    accounts, call = [str(sent.value)], sent.call
    if call.params.get("includeIndirectRoleAssignments") is True:
        accounts += groups_of_member(call.world, accounts[0])
    return sent.field("assignedTo").equal(sent.table, accounts)


_OF_CUSTOMER = re.compile(r"\s*customer\s*==\s*[\"']customers/(\w+)[\"']\s*")


def _of_customer(sent: SentParameter) -> None:
    """Keep all rows where the filter asks for those of the session's customer.

    Raises:
        UnservedError: It asks for something else.
    """
    match = _OF_CUSTOMER.fullmatch(str(sent.value))
    if match is None or not is_customer(sent.call.world, match[1]):
        raise UnservedError("only the customer's own are known")


def _is_hidden_dataset(row: JsonObject) -> bool:
    return str(value_at(row, ("datasetReference", "datasetId")) or "").startswith("_")


_CREATED = "statistics.creationTime"
_RULES: Mapping[str, ListRules] = {
    "storage.folders.list": ListRules(
        {"startOffset": _from_name, "endOffset": _until_name, "delimiter": _folder_level}
    ),
    "storage.projects.hmacKeys.list": ListRules(
        {"showDeletedKeys": _of_keys, "serviceAccountEmail": having("serviceAccountEmail")},
        unsent={"showDeletedKeys"},
    ),
    "storage.buckets.list": ListRules({"softDeleted": _soft_deleted}, unsent={"softDeleted"}),
    "storage.objects.list": ListRules(
        {
            "softDeleted": _soft_deleted,
            "filter": _by_context,
            "versions": _live_objects,
            "startOffset": _from_name,
            "endOffset": _until_name,
            "matchGlob": _by_glob,
            **dict.fromkeys(_LEVELS, _keep_all),
        },
        unsent={"softDeleted", "versions"},
        arrange=_in_levels,
        order=((_BY_NAME, False),),
    ),
    **{
        f"cloudidentity.{name}.list": ListRules({"filter": _of_customer})
        for name in ("inboundSamlSsoProfiles", "inboundOidcSsoProfiles", "inboundSsoAssignments")
    },
    "directory.resources.calendars.list": ListRules({"query": by_filter}),
    "datatransfer.transfers.list": ListRules(
        {
            "customerId": _keep_all,
            "newOwnerUserId": having("newOwnerUserId"),
            "oldOwnerUserId": having("oldOwnerUserId"),
            "status": having("overallTransferStatusCode"),
        }
    ),
    "directory.roleAssignments.list": ListRules(
        {
            "userKey": _assigned_to,
            "roleId": having("roleId"),
            "includeIndirectRoleAssignments": _keep_all,
        }
    ),
    "directory.chromeosdevices.list": ListRules(
        {
            "query": _by_device_query,
            "orgUnitPath": _in_org_unit,
            "includeChildOrgunits": _keep_all,
            "projection": _keep_all,
        }
    ),
    "directory.mobiledevices.list": ListRules({"query": _by_device_query, "projection": _keep_all}),
    "bigquery.datasets.list": ListRules(
        {"all": without(_is_hidden_dataset, "hidden")}, unsent={"all"}
    ),
    "bigquery.jobs.list": ListRules(
        {
            "stateFilter": equal_to("status.state", {}),
            "minCreationTime": in_window(_CREATED, ">="),
            "maxCreationTime": in_window(_CREATED, "<="),
            "parentJobId": having("statistics.parentJobId"),
        }
    ),
}
"""Method id to the rules of its parameters."""
_NONE = ListRules()


@lru_cache(8192)
def rules_of(method: Method) -> ListRules:
    """The rules of a list: those that its API's room has, or ours."""
    room = ROOMS.get(method.api)
    return (_RULES if room is None else room()).get(method.id, _NONE)
