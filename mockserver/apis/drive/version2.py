"""Version 2 of Drive: older names for the files of version 3, of which there is one set.

Source: the reference of version 2 and recordings of the live service.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial

from mockserver.apis.drive.conversions import GOOGLE_TYPES, LINK_FORMATS, convert_media, export_link
from mockserver.apis.drive.history import keep_revision
from mockserver.apis.drive.permissions import FILES, permissions_of
from mockserver.googleapi import ApiError, Call, Handler, SnapshotImport, etag, invalid, not_found
from mockserver.model import Json, JsonMapping, JsonObject
from mockserver.state import fixed_digits, rfc3339

OLD_FILES = "drive:v2/files"
_BASE = "https://www.googleapis.com/drive/v2"
_ROOT = "root"
_FIELDS = {
    "title": "name",
    "fileSize": "size",
    "createdDate": "createdTime",
    "modifiedDate": "modifiedTime",
    "modifiedByMeDate": "modifiedByMeTime",
    "lastViewedByMeDate": "viewedByMeTime",
    "sharedWithMeDate": "sharedWithMeTime",
    "trashedDate": "trashedTime",
    "alternateLink": "webViewLink",
}
"""Names of fields in version 2, and in version 3."""
_SAME = (
    "id", "mimeType", "description", "md5Checksum", "sha1Checksum", "sha256Checksum",
    "headRevisionId", "originalFilename", "fileExtension", "fullFileExtension", "shortcutDetails",
    "driveId", "teamDriveId", "resourceKey", "webContentLink", "capabilities", "version", "spaces",
    "permissionIds", "thumbnailLink", "folderColorRgb", "contentRestrictions", "explicitlyTrashed",
    "shared", "ownedByMe", "hasThumbnail", "thumbnailVersion", "quotaBytesUsed",
    "copyRequiresWriterPermission", "writersCanShare", "imageMediaMetadata", "owners",
)  # fmt: skip
_CORPORA = frozenset({"default", "user", "domain", "drive", "allDrives"})
_LABELS = ("starred", "hidden", "trashed", "restricted")
_IN_QUERY = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\w.]+""")
_COMMENT_FIELDS = {"commentId": "id", "createdDate": "createdTime", "modifiedDate": "modifiedTime"}
_REPLY_FIELDS = {**_COMMENT_FIELDS, "replyId": "id", "verb": "action"}
_REVISION_FIELDS = {"modifiedDate": "modifiedTime", "fileSize": "size", "pinned": "keepForever"}
_QUOTA = 15 * 1024**3


def complete_rows(found: SnapshotImport) -> None:
    """Make files of version 3 of those that a snapshot holds of version 2."""
    files = found.tables.get(FILES, {})
    for key, row in found.tables.pop(OLD_FILES, {}).items():
        kept = {"kind": "drive#file", "id": key.rpartition("/")[2], **_new_fields(row)}
        files.setdefault(key, kept)
    if files:
        found.tables[FILES] = files


def _new_fields(given: JsonMapping) -> JsonObject:
    """What a file of version 2 is in version 3."""
    made = {new: given[old] for old, new in _FIELDS.items() if old in given}
    made |= {name: given[name] for name in _SAME if name in given}
    labels = given.get("labels") or {}
    made |= {name: labels[name] for name in _LABELS if name in labels}
    if "parents" in given:
        parents = given["parents"] or ()
        named = [each.get("id") if isinstance(each, dict) else each for each in parents]
        made["parents"] = [each for each in named if each]
    for each in given.get("properties") or ():
        if not each.get("key"):
            continue
        field = "properties" if each.get("visibility") == "PUBLIC" else "appProperties"
        made.setdefault(field, {})[each["key"]] = each.get("value", "")
    if given.get("indexableText"):
        made["contentHints"] = {"indexableText": given["indexableText"].get("text", "")}
    if "permissions" in given:
        made["permissions"] = given["permissions"]
    return made


def _user(email: str) -> JsonObject:
    return {"kind": "drive#user", "displayName": email.partition("@")[0] or email,
            "isAuthenticatedUser": True, "emailAddress": email}  # fmt: skip


def _old_file(call: Call, row: JsonObject) -> JsonObject:
    """A file as version 2 shows it."""
    ident, kind = str(row["id"]), str(row.get("mimeType") or "application/octet-stream")
    link, email = f"{_BASE}/files/{ident}", call.caller.email
    user = _user(email)
    made: JsonObject = {"kind": "drive#file", "etag": etag(row), "selfLink": link}
    made |= {old: row[new] for old, new in _FIELDS.items() if row.get(new) is not None}
    made |= {name: row[name] for name in _SAME if row.get(name) is not None}
    made["mimeType"] = kind
    made["iconLink"] = f"https://drive-thirdparty.googleusercontent.com/16/type/{kind}"
    labels = {name: bool(row.get(name)) for name in _LABELS}
    made["labels"] = {**labels, "viewed": row.get("viewedByMe", True)}
    made["parents"] = [_parent(row, each) for each in row.get("parents") or [_ROOT]]
    usual = {
        "owners": [user], "ownerNames": [email], "lastModifyingUser": user,
        "lastModifyingUserName": email, "modifiedByMeDate": row.get("modifiedTime"),
        "lastViewedByMeDate": row.get("modifiedTime"), "editable": True, "copyable": True,
        "writersCanShare": True, "shared": False, "appDataContents": False,
        "copyRequiresWriterPermission": False, "spaces": ["drive"], "explicitlyTrashed": False,
        "userPermission": {"kind": "drive#permission", "id": "me", "type": "user", "role": "owner",
                           "selfLink": f"{link}/permissions/me", "pendingOwner": False},
        "hasThumbnail": False, "thumbnailVersion": "0",
    }  # fmt: skip
    made = {**usual, **made}
    properties = _properties(row)
    if properties:
        made["properties"] = properties
    formats = LINK_FORMATS.get(kind)
    if formats:
        noun = kind.rpartition(".")[2] + ("s" if kind.endswith("sheet") else "")
        page = f"https://docs.google.com/{noun}/d/{ident}"
        made |= {"alternateLink": f"{page}/edit?usp=drivesdk", "embedLink": f"{page}/htmlembed"}
        made["exportLinks"] = {each: export_link(kind, ident, each) for each in formats}
    elif not kind.startswith("application/vnd.google-apps.") and "size" in row:
        made["downloadUrl"] = f"{link}?alt=media&source=downloadUrl"
        made.setdefault("originalFilename", row.get("name"))
    if call.mask is not None and call.mask.selects("permissions"):
        made["permissions"] = [_old_permission(row, each) for each in permissions_of(call, row)]
    return made


def _parent(row: JsonObject, ident: str) -> JsonObject:
    link = f"{_BASE}/files/{row['id']}/parents/{ident}"
    return {"kind": "drive#parentReference", "id": ident, "selfLink": link,
            "parentLink": f"{_BASE}/files/{ident}", "isRoot": ident == _ROOT}  # fmt: skip


def _properties(row: JsonObject) -> list[JsonObject]:
    return [
        {"kind": "drive#property", "key": key, "value": value, "visibility": visibility}
        for field, visibility in (("properties", "PUBLIC"), ("appProperties", "PRIVATE"))
        for key, value in (row.get(field) or {}).items()
    ]


def _row(call: Call, name: str = "fileId") -> JsonObject:
    return call.ask("drive.files.get", {"fileId": call.params[name]})


def _put(call: Call, row: JsonObject, **fields: Json) -> JsonObject:
    """Keep a file with some fields changed."""
    after = {**row, **fields, "modifiedTime": rfc3339(call.world.clock.now())}
    call.world.put(FILES, f"files/{row['id']}", after)
    return after


def _with_media(call: Call, row: JsonObject) -> JsonObject:
    """A file with what was uploaded: converted into one of Google's where that is asked for."""
    media = call.media
    if media is None:
        return row
    if call.params.get("convert") is True or row.get("mimeType") in GOOGLE_TYPES:
        kind = convert_media(call, row)
        held = call.world.table(FILES).get(f"files/{row['id']}") or row
        return _put(call, {**held, "mimeType": kind})
    given = call.body.get("mimeType") or media.content_type.partition(";")[0]
    return keep_revision(call, {**row, "mimeType": given})


def _insert_file(call: Call) -> JsonObject:
    given = {"name": "Untitled", **_new_fields(call.body)}
    made = call.ask("drive.files.create", {}, given)
    return _old_file(call, _with_media(call, made))


def _update_file(call: Call) -> JsonObject:
    """Answers `files.update` and `patch`; given parents replace those that are there."""
    given, where = _new_fields(call.body), {"fileId": call.params["fileId"]}
    given.pop("id", None)
    parents = given.pop("parents", None)
    if call.params.get("setModifiedDate") is not True:
        given.pop("modifiedTime", None)
    for name in ("addParents", "removeParents"):
        if name in call.params:
            where[name] = call.params[name]
    row = call.ask("drive.files.update", where, given)
    if parents is not None:
        row = _put(call, row, parents=parents)
    return _old_file(call, _with_media(call, row))


def _copy_file(call: Call) -> JsonObject:
    made = call.ask("drive.files.copy", {"fileId": call.params["fileId"]}, _new_fields(call.body))
    return _old_file(call, made)


def _list_files(call: Call) -> JsonObject:
    """Answers `files.list`: of version 3, with its words for fields in queries and orders."""
    names = {old: new for old, new in _FIELDS.items() if old != "alternateLink"}

    def renamed(hit: re.Match[str]) -> str:
        text = hit[0]
        stem = text.removesuffix("_natural")
        return text.replace(stem, names.get(stem, stem))

    kept = ("pageToken", "spaces", "driveId", "teamDriveId", "includeItemsFromAllDrives",
            "includeTeamDriveItems", "supportsAllDrives", "corpora")  # fmt: skip
    asked = {name: call.params[name] for name in kept if name in call.params}
    asked["pageSize"] = min(int(call.params.get("maxResults", 100)), 1000)
    for name in ("q", "orderBy"):
        if call.params.get(name):
            asked[name] = _IN_QUERY.sub(renamed, str(call.params[name]))
    if asked.get("corpora", "default") not in _CORPORA:
        raise invalid("Invalid Value", location="corpora")
    if str(call.params.get("corpus", "DEFAULT")) != "DEFAULT":
        asked["corpora"] = "domain"  # which is refused, as in version 3
    found = call.ask("drive.files.list", asked)
    token = {"nextPageToken": found["nextPageToken"]} if "nextPageToken" in found else {}
    items = [_old_file(call, each) for each in found.get("files", ())]
    return {"kind": "drive#fileList", "selfLink": f"{_BASE}/files", **token,
            "incompleteSearch": False, "items": items or ()}  # fmt: skip


def _trash_file(call: Call) -> JsonObject:
    where, trashed = {"fileId": call.params["fileId"]}, call.id.endswith(".trash")
    row = call.ask("drive.files.update", where, {"trashed": trashed})
    return _old_file(call, _put(call, row, explicitlyTrashed=trashed))


def _about(call: Call) -> JsonObject:
    email = call.caller.email
    return {
        "kind": "drive#about",
        "name": email.partition("@")[0],
        "user": _user(email),
        "rootFolderId": _ROOT,
        "permissionId": fixed_digits(email.casefold(), 20),
        "quotaBytesTotal": str(_QUOTA),
        "quotaType": "LIMITED",
        "isCurrentAppInstalled": False,
    }


def _old_permission(row: JsonObject, given: JsonObject) -> JsonObject:
    """A permission as version 2 shows it."""
    made: JsonObject = {"kind": "drive#permission", "etag": etag(given),
            "selfLink": f"{_BASE}/files/{row['id']}/permissions/{given['id']}"}  # fmt: skip
    names = ("id", "type", "role", "emailAddress", "domain", "deleted", "photoLink", "view")
    made |= {name: given[name] for name in names if name in given}
    if given.get("displayName"):
        made["name"] = given["displayName"]
    if given["role"] == "commenter":
        made |= {"role": "reader", "additionalRoles": ["commenter"]}
    if given["type"] in {"anyone", "domain"}:
        made["withLink"] = not given.get("allowFileDiscovery")
    if "expirationTime" in given:
        made["expirationDate"] = given["expirationTime"]
    return {**made, "pendingOwner": bool(given.get("pendingOwner"))}


def _new_permission(given: JsonMapping) -> JsonObject:
    names = ("type", "role", "emailAddress", "domain")
    made: JsonObject = {name: given[name] for name in names if name in given}
    if "commenter" in (given.get("additionalRoles") or ()):
        made["role"] = "commenter"
    if given.get("value") and made.get("type") != "anyone":
        made["domain" if made.get("type") == "domain" else "emailAddress"] = given["value"]
    if "withLink" in given:
        made["allowFileDiscovery"] = not given["withLink"]
    if "expirationDate" in given:
        made["expirationTime"] = given["expirationDate"]
    return made


def _ask_permission(verb: str, call: Call) -> JsonObject | None:
    """Answers a method of permissions by that of version 3."""
    names = ("fileId", "permissionId", "transferOwnership", "supportsAllDrives", "pageToken")
    where = {name: call.params[name] for name in names if name in call.params}
    answer = call.ask(f"drive.permissions.{verb}", where, _new_permission(call.body))
    row = {"id": call.params["fileId"]}
    if verb == "list":
        items = [_old_permission(row, each) for each in answer.get("permissions", ())]
        return {"kind": "drive#permissionList", "items": items or ()}
    return None if verb == "delete" else _old_permission(row, answer)


def _renamed(fields: Mapping[str, str], row: JsonMapping) -> JsonObject:
    """A resource of version 3 with the names of version 2."""
    taken = {*fields.values(), "kind", "assigneeEmailAddress", "mentionedEmailAddresses"}
    kept = {name: each for name, each in row.items() if name not in taken}
    for name in ("author", "lastModifyingUser"):
        if isinstance(user := kept.get(name), dict):
            told = {key: each for key, each in user.items() if key != "me"}
            kept[name] = {**told, "isAuthenticatedUser": user.get("me", False)}
    return {**kept, **{old: row[new] for old, new in fields.items() if new in row}}


def _old_comment(row: JsonObject) -> JsonObject:
    made = {"kind": "drive#comment", **_renamed(_COMMENT_FIELDS, row)}
    made["status"] = "resolved" if made.pop("resolved", False) else "open"
    quoted = made.pop("quotedFileContent", None)
    if quoted:
        made["context"] = {"type": quoted.get("mimeType"), "value": quoted.get("value")}
    made["replies"] = [_old_reply(each) for each in row.get("replies") or ()]
    return made


def _old_reply(row: JsonObject) -> JsonObject:
    made = {"kind": "drive#commentReply", **_renamed(_REPLY_FIELDS, row)}
    return {name: each for name, each in made.items() if name not in {"commentId", "fileId"}}


def _old_revision(row: JsonObject) -> JsonObject:
    made = {"kind": "drive#revision", "etag": etag(row), **_renamed(_REVISION_FIELDS, row)}
    made.pop("fileId", None)
    return {"pinned": False, "published": False, **made}


_VIEWS: Mapping[str, Callable[[JsonObject], JsonObject]] = {
    "comments": _old_comment,
    "replies": _old_reply,
    "revisions": _old_revision,
}


def _ask_about_file(resource: str, verb: str, call: Call) -> JsonObject | None:
    """Answers a method of comments, replies or revisions by that of version 3."""
    view, body = _VIEWS[resource], dict(call.body)
    for old, new in (("verb", "action"), ("pinned", "keepForever")):
        if old in body:
            body[new] = body.pop(old)
    if context := body.pop("context", None):
        body["quotedFileContent"] = {"mimeType": context.get("type"), "value": context.get("value")}
    where = {
        name: each for name, each in call.params.items() if name not in {"maxResults", "updatedMin"}
    }
    for old, new in (("maxResults", "pageSize"), ("updatedMin", "startModifiedTime")):
        if old in call.params:
            where[new] = call.params[old]
    answer = call.ask(f"drive.{resource}.{verb}", where, body)
    if verb == "delete":
        return None
    if verb != "list":
        return view(answer)
    token = {"nextPageToken": answer["nextPageToken"]} if "nextPageToken" in answer else {}
    kind = {"replies": "commentReply"}.get(resource, resource.removesuffix("s"))
    items = [view(each) for each in answer.get(resource, ())]
    return {"kind": f"drive#{kind}List", **token, "items": items or ()}


def _parent_named(call: Call, row: JsonObject) -> str:
    ident = str(call.params.get("parentId") or call.body.get("id") or "")
    if "parentId" in call.params and ident not in (row.get("parents") or [_ROOT]):
        raise not_found(f"Parent not found: {ident}.", name=ident)
    return ident


def _get_parent(call: Call) -> JsonObject:
    row = _row(call)
    return _parent(row, _parent_named(call, row))


def _list_parents(call: Call) -> JsonObject:
    row = _row(call)
    items = [_parent(row, each) for each in row.get("parents") or [_ROOT]]
    return {"kind": "drive#parentList", "items": items or ()}


def _move(call: Call, ident: str, *, add: str = "", remove: str = "") -> None:
    row = call.ask("drive.files.get", {"fileId": ident})
    left = [each for each in row.get("parents") or () if each != remove]
    if add:  # who puts a file into a folder takes it out of the root
        left = [each for each in left if each != _ROOT]
    _put(call, row, parents=[*left, add] if add and add not in left else left)


def _insert_parent(call: Call) -> JsonObject:
    row = _row(call)
    ident = _parent_named(call, row)
    _move(call, str(row["id"]), add=ident)
    return _parent(row, ident)


def _delete_parent(call: Call) -> None:
    row = _row(call)
    _move(call, str(row["id"]), remove=_parent_named(call, row))


def _child(folder: str, ident: str) -> JsonObject:
    return {"kind": "drive#childReference", "id": ident,
            "selfLink": f"{_BASE}/files/{folder}/children/{ident}",
            "childLink": f"{_BASE}/files/{ident}"}  # fmt: skip


def _get_child(call: Call) -> JsonObject:
    folder, row = str(call.params["folderId"]), _row(call, "childId")
    if folder not in (row.get("parents") or [_ROOT]):
        raise not_found(f"File not found: {row['id']}.", name=str(row["id"]))
    return _child(folder, str(row["id"]))


def _list_children(call: Call) -> JsonObject:
    folder = str(call.params["folderId"])
    own = "'" + folder.replace("'", "") + "' in parents"
    given = call.params.get("q")
    call.params["q"] = f"{own} and ({given})" if given else own
    found = _list_files(call)
    items = [_child(folder, str(each["id"])) for each in found["items"]]
    found.pop("incompleteSearch")
    return {**found, "kind": "drive#childList", "items": items or ()}


def _insert_child(call: Call) -> JsonObject:
    folder, ident = str(call.params["folderId"]), str(call.body.get("id") or "")
    _move(call, ident, add=folder)
    return _child(folder, ident)


def _delete_child(call: Call) -> None:
    child = _get_child(call)
    _move(call, str(child["id"]), remove=str(call.params["folderId"]))


def _list_properties(call: Call) -> JsonObject:
    return {"kind": "drive#propertyList", "items": _properties(_row(call)) or ()}


def _find_property(call: Call, row: JsonObject) -> JsonObject:
    asked = str(call.params.get("visibility") or "PRIVATE").upper()
    for each in _properties(row):
        if (each["key"], each["visibility"]) == (call.params["propertyKey"], asked):
            return each
    raise not_found(f"Property not found: key = {call.params['propertyKey']}.")


def _put_property(call: Call) -> JsonObject:
    row = _row(call)
    before = _find_property(call, row) if "propertyKey" in call.params else {}
    made = {"kind": "drive#property", "visibility": "PRIVATE", **before, **call.body}
    if not made.get("key"):
        raise ApiError(400, "The property key is required.", reason="required")
    field = "properties" if made["visibility"] == "PUBLIC" else "appProperties"
    _put(call, row, **{field: {**(row.get(field) or {}), made["key"]: made.get("value", "")}})
    return made


def _delete_property(call: Call) -> None:
    row = _row(call)
    gone = _find_property(call, row)
    field = "properties" if gone["visibility"] == "PUBLIC" else "appProperties"
    _put(call, row, **{field: {k: v for k, v in row[field].items() if k != gone["key"]}})


def _passed_on(method: str, call: Call) -> JsonObject | None:
    """Answers a method by the one of version 3, whose answer is the same."""
    answer = call.ask(method, call.params, call.body)
    return answer or None


_PERMISSIONS = {"insert": "create", "patch": "update", "update": "update", "get": "get",
                "list": "list", "delete": "delete"}  # fmt: skip
_ABOUT_FILES = {
    "comments": ("insert", "patch", "update", "get", "list", "delete"),
    "replies": ("insert", "patch", "update", "get", "list", "delete"),
    "revisions": ("patch", "update", "get", "list", "delete"),
}

OLD_HANDLERS: Mapping[str, Handler] = {
    "drive.about.get": _about,
    "drive.files.copy": _copy_file,
    "drive.files.delete": partial(_passed_on, "drive.files.delete"),
    "drive.files.emptyTrash": partial(_passed_on, "drive.files.emptyTrash"),
    "drive.files.generateIds": partial(_passed_on, "drive.files.generateIds"),
    "drive.files.get": lambda call: _old_file(call, _row(call)),
    "drive.files.insert": _insert_file,
    "drive.files.list": _list_files,
    "drive.files.patch": _update_file,
    "drive.files.touch": lambda call: _old_file(call, _put(call, _row(call))),
    "drive.files.trash": _trash_file,
    "drive.files.untrash": _trash_file,
    "drive.files.update": _update_file,
    "drive.parents.delete": _delete_parent,
    "drive.parents.get": _get_parent,
    "drive.parents.insert": _insert_parent,
    "drive.parents.list": _list_parents,
    "drive.children.delete": _delete_child,
    "drive.children.get": _get_child,
    "drive.children.insert": _insert_child,
    "drive.children.list": _list_children,
    "drive.properties.delete": _delete_property,
    "drive.properties.get": lambda call: _find_property(call, _row(call)),
    "drive.properties.insert": _put_property,
    "drive.properties.list": _list_properties,
    "drive.properties.patch": _put_property,
    "drive.properties.update": _put_property,
    **{f"drive.permissions.{old}": partial(_ask_permission, new)
       for old, new in _PERMISSIONS.items()},
    **{f"drive.{resource}.{verb}": partial(_ask_about_file, resource, _PERMISSIONS[verb])
       for resource, verbs in _ABOUT_FILES.items() for verb in verbs},
}  # fmt: skip
"""Those of version 2."""
