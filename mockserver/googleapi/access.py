"""Who may call a method: privileges of administrators, and roles that allow policies give.

Only sessions whose `auth` is `permissions` ask. What is allowed is data, `access_rules.json`: which
permission a method takes, which permissions a predefined role has, which privilege a method of the
administrator's tools takes. Source: the reference pages of IAM and of the Admin SDK. Words of
refusals follow what clients report; they are not verified where no recording has them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from fnmatch import translate
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import orjson

from mockserver.googleapi.call import Call
from mockserver.googleapi.discovery import Method
from mockserver.googleapi.errors import ERROR_INFO, ApiError
from mockserver.googleapi.file_access import caller_keys
from mockserver.googleapi.iam import IAM_POLICIES, policy_row
from mockserver.googleapi.list_rules import field_of
from mockserver.model import JsonObject
from mockserver.state import (
    PROJECTS,
    ROLE_ASSIGNMENTS,
    ROLES,
    World,
    admin_email,
    find_project,
    find_user,
    fixed_digits,
    home_project,
    is_inside,
    org_tree,
    project_of_bucket,
)

_RESOURCE_MANAGER = "//cloudresourcemanager.googleapis.com"
_ROBOTS = ".gserviceaccount.com"
_CUSTOM_ROLES = "iam:v1/roles"
_PLACEHOLDER = re.compile(r"\{\+?(\w+)\}")
_VERSION = re.compile(r"^(?:\w+/)?v\d\w*/")
_EVERY = "*"


def check_access(call: Call, method: Method) -> None:
    """Refuse a call whose caller may not make it.

    Raises:
        ApiError: 403, in the words of its API.
    """
    privilege = _privilege_of(call.id)
    if privilege is not None:
        _check_privilege(call, privilege)
    elif permission := permission_of(call.id):
        resource = _resource_of(call, method)
        if not is_permitted(call, permission, resource):
            raise _refusal(call, permission, resource, method)


@lru_cache(4096)
def _privilege_of(method_id: str) -> str | None:
    """The privilege that a method takes; empty where everybody may, None where it takes none."""
    return _first(_rules()["privileges"], method_id)


@lru_cache(4096)
def permission_of(method_id: str) -> str:
    """The permission that a method takes; empty where none is asked for.

    >>> permission_of("compute.instances.aggregatedList"), permission_of("drive.files.list")
    ('compute.instances.list', '')
    """
    rules = _rules()
    api, *nouns, verb = method_id.split(".")
    service = rules["services"].get(api)
    if service is None or not nouns:
        return ""
    told = _first(rules["permissions"], method_id)
    if told is not None:
        return told
    return f"{service}.{nouns[-1]}.{rules['verbs'].get(verb, verb)}"


def is_permitted(call: Call, permission: str, resource: str) -> bool:
    """Whether the policies of a resource and of all that it is in give a caller a permission.

    Where no policy is told of the project and of what it is in, everything is allowed: a snapshot
    that says nothing about policies forbids nothing.

    Args:
        call: The call.
        permission: `storage.objects.get`.
        resource: The full name, `//storage.googleapis.com/exports`.
    """
    world = call.world
    project = _project_of(world, resource)
    if not _stands(world, project):
        return False
    above = [row["policy"] for row in _policies(world, _hierarchy(world, project))]
    if not above:
        return True
    own = [row["policy"] for row in _policies(world, _prefixes(resource))]
    members = _members(call, project)
    for binding in (each for policy in (*own, *above) for each in policy.get("bindings") or ()):
        if members.isdisjoint(map(str.casefold, binding.get("members") or ())):
            continue
        if not _role_has(world, str(binding.get("role")), permission):
            continue
        condition = binding.get("condition")
        if condition is None or _holds(condition, world.clock.now(), resource):
            return True
    return False


def _check_privilege(call: Call, privilege: str) -> None:
    if not privilege or _is_public_view(call):
        return
    target = str(call.params.get("userKey") or "")
    if not _has_privilege(call.world, call.caller.email, privilege, target):
        if call.id == "reports.activities.list":
            text = "Access denied. You are not authorized to read activity records."
            raise ApiError(401, text, reason="authError")
        older = call.id.startswith(("directory.", "reports.", "licensing.", "groupsSettings."))
        text = "Not Authorized to access this resource/api"
        raise ApiError(
            403,
            text if older else "The caller does not have permission",
            reason="forbidden",
            code_name="" if older else "PERMISSION_DENIED",
        )


def _is_public_view(call: Call) -> bool:
    """Whether users are asked for as everybody in the domain sees them."""
    reads = call.id in {"directory.users.get", "directory.users.list"}
    return reads and str(call.params.get("viewType", "")).lower() == "domain_public"


def _has_privilege(world: World, email: str, privilege: str, target: str) -> bool:
    user = find_user(world, email) or {}
    if email.casefold() == admin_email(world).casefold() or user.get("isAdmin"):
        return True
    own = str(user.get("id") or fixed_digits(email.casefold(), 21))
    wanted = {privilege, f"{privilege.rpartition('_')[0]}_ALL"}
    for each in world.table(ROLE_ASSIGNMENTS).rows().values():
        holder = str(each.get("assignedTo"))
        if holder != own and not is_inside(world, own, holder):
            continue
        if each.get("scopeType") == "ORG_UNIT" and not _is_below(
            world, target, str(each.get("orgUnitId"))
        ):
            continue
        table = world.table(ROLES)
        for entry in field_of("roleId").equal(table, [str(each.get("roleId"))]).places():
            role = table.rows()[entry[2]]
            has = {str(one.get("privilegeName")) for one in role.get("rolePrivileges") or ()}
            if role.get("isSuperAdminRole") or (privilege != _EVERY and wanted & has):
                return True
    return False


def _is_below(world: World, key: str, unit: str) -> bool:
    """Whether a user is in an org unit, or in one below it."""
    tree, user = org_tree(world), find_user(world, key) or {}
    place = tree.find(str(user.get("orgUnitPath", "")))
    return place is not None and unit.removeprefix("id:") in tree.ancestors(place)


def _resource_of(call: Call, method: Method) -> str:
    """The full name of what a call is about."""
    given = call.params

    def value(hit: re.Match[str]) -> str:
        return str(given.get(hit[1], ""))

    path = _VERSION.sub("", _PLACEHOLDER.sub(value, method.path)).partition(":")[0]
    for start in ("projects/", "folders/", "organizations/"):
        if start in path and not path.startswith(start):
            path = path[path.index(start) :]
    host = method.document.host
    if call.id.startswith("storage."):
        bucket = str(given.get("bucket") or given.get("destinationBucket") or "")
        if bucket:
            name = str(given.get("object") or given.get("destinationObject") or "")
            return f"//{host}/{bucket}" + (f"/objects/{name}" if name else "")
        return f"{_RESOURCE_MANAGER}/projects/{given.get('project') or given.get('projectId', '')}"
    if call.id.startswith("logging.") and (told := call.body.get("resourceNames")):
        path = str(told[0])
    if call.id == "logging.entries.write":
        path = str(call.body.get("logName") or (call.body.get("entries") or [{}])[0].get("logName"))
    return f"//{host}/{path}"


def _project_of(world: World, resource: str) -> str:
    """The id of the project that a resource is in, or its folder or organization by name."""
    _, found, rest = resource.partition("/projects/")
    if found:
        key = rest.partition("/")[0]
        row = find_project(world, key)
        return f"{PROJECTS}/{row['projectId'] if row else key}"
    for kind in ("folders", "organizations"):
        _, found, rest = resource.partition(f"/{kind}/")
        if found:
            return f"{kind}/{rest.partition('/')[0]}"
    row = None
    if resource.startswith("//storage."):
        row = project_of_bucket(world, resource.split("/")[3])
    return f"{PROJECTS}/{row['projectId'] if row else home_project(world)[0]}"


def _stands(world: World, name: str) -> bool:
    """Whether a project is there, of a world that tells projects, and is not deleted."""
    kind, _, key = name.partition("/")
    if kind != PROJECTS or not len(world.table(PROJECTS)):
        return True
    row = find_project(world, key)
    return row is not None and row.get("state") != "DELETE_REQUESTED"


def _hierarchy(world: World, name: str) -> Iterator[str]:
    """Full names of a project, and of what it is in.

    Yields:
        Names, the project's first.
    """
    seen: set[str] = set()
    while name and name not in seen:
        seen.add(name)
        yield f"{_RESOURCE_MANAGER}/{name}"
        kind, _, key = name.partition("/")
        row = find_project(world, key) if kind == PROJECTS else world.table(kind).get(name)
        name = str((row or {}).get("parent") or "")


def _prefixes(resource: str) -> Iterator[str]:
    """A resource, and what its name says that it is in; projects are not among them.

    Yields:
        Full names, the resource's own first.
    """
    parts = resource.split("/")
    while len(parts) > 3:
        if not (len(parts) == 5 and parts[3] in {PROJECTS, "folders", "organizations"}):
            yield "/".join(parts)
        parts.pop()


def _policies(world: World, names: Iterable[str]) -> Iterator[JsonObject]:
    if not len(world.table(IAM_POLICIES)):
        return
    for name in names:
        row = policy_row(world, name)
        if row is not None:
            yield row


def _members(call: Call, project: str) -> set[str]:
    """How bindings mean the caller, in lower case."""
    email = call.caller.email.casefold()
    if not email:
        return {"allusers"}
    found = {"allusers", "allauthenticatedusers"}
    if email.endswith(_ROBOTS):
        return found | {f"serviceaccount:{email}"}
    for key in caller_keys(call):
        found.add(f"domain:{key[1:]}" if key.startswith("@") else f"group:{key}")
    return found | {f"user:{email}"}


def _role_has(world: World, role: str, permission: str) -> bool:
    patterns = _rules()["roles"].get(role)
    if patterns is None:
        row = world.table(_CUSTOM_ROLES).get(role) or {}
        return not row.get("deleted") and permission in (row.get("includedPermissions") or ())
    granted, withheld = _role_patterns(role)
    return granted.match(permission) is not None and withheld.match(permission) is None


@cache
def _role_patterns(role: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    patterns: Sequence[str] = _rules()["roles"][role]
    granted = [translate(each) for each in patterns if not each.startswith("-")]
    withheld = [translate(each[1:]) for each in patterns if each.startswith("-")]
    return re.compile("|".join(granted)), re.compile("|".join(withheld) or r"(?!)")


@cache
def _rules() -> Mapping[str, Any]:
    found: Mapping[str, Any] = orjson.loads(
        files("mockserver.googleapi").joinpath("access_rules.json").read_bytes()
    )
    return found


def _first(rules: Mapping[str, str], method_id: str) -> str | None:
    """What the first rule says that is about a method, or None."""
    return next((said for pattern, said in rules.items() if _glob(pattern).match(method_id)), None)


@cache
def _glob(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))


def _holds(condition: JsonObject, now: datetime, resource: str) -> bool:
    """Whether the condition of a binding holds; one that cannot be read holds nothing."""
    program = _program(str(condition.get("expression", "")))
    if program is None:
        return False
    from celpy.adapter import json_to_cel
    from celpy.celtypes import MapType, StringType, TimestampType
    from celpy.evaluation import CELEvalError

    request = MapType({StringType("time"): TimestampType(now)})
    host, _, _ = resource.removeprefix("//").partition("/")
    name = resource.removeprefix("//").partition("/")[2]
    about = json_to_cel({"name": name, "service": host})
    try:
        return bool(program.evaluate({"request": request, "resource": about}))
    except (CELEvalError, RecursionError):
        return False


@lru_cache(maxsize=64)
def _program(text: str) -> Any:
    from celpy import Environment
    from celpy.celparser import CELParseError
    from celpy.evaluation import CELEvalError

    environment = Environment()
    try:
        return environment.program(environment.compile(text))
    except (CELParseError, CELEvalError, RecursionError):
        return None


def _refusal(call: Call, permission: str, resource: str, method: Method) -> ApiError:
    """403, as an API says that a permission is missing."""
    api, email = call.id.partition(".")[0], call.caller.email or "Anonymous caller"
    name = resource.removeprefix("//").partition("/")[2]
    project = _project_of(call.world, resource).partition("/")[2]
    noun = "object" if ".objects." in permission and "/objects/" in resource else "bucket"
    words = _WORDS.get(api, _USUAL_WORDS).format(
        email=email, permission=permission, resource=name, full=resource, project=project, noun=noun
    )
    info = {
        "@type": ERROR_INFO,
        "reason": "IAM_PERMISSION_DENIED",
        "domain": "iam.googleapis.com",
        "metadata": {"permission": permission, "resource": name},
    }
    return ApiError(
        403,
        words,
        reason="accessDenied" if api == "bigquery" else "forbidden",
        code_name="" if api in _OLDER else "PERMISSION_DENIED",
        details=() if api in _WORDS else (info,),
    )


_OLDER = frozenset({"storage", "compute", "sql", "dns"})
_USUAL_WORDS = "Permission '{permission}' denied on resource '{full}' (or it may not exist)."
_WORDS: Mapping[str, str] = {
    "storage": (
        "{email} does not have {permission} access to the Google Cloud Storage {noun}. Permission "
        "'{permission}' denied on resource (or it may not exist)."
    ),
    "bigquery": (
        "Access Denied: Project {project}: User does not have {permission} permission in project "
        "{project}."
    ),
    "compute": "Required '{permission}' permission for '{resource}'",
    "container": 'Required "{permission}" permission(s) for "{resource}".',
    "firestore": "Missing or insufficient permissions.",
    "pubsub": "User not authorized to perform this action.",
    "sql": "The client is not authorized to make this request.",
    "dns": "Forbidden",
}
"""How APIs say that a permission is missing, where they have words of their own."""
