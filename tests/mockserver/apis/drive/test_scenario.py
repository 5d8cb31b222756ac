"""Files of three people in folders and a shared drive, in both versions, with answers in whole."""

from datetime import timedelta
from typing import Any

from mockserver.googleapi import Media
from mockserver.model import JsonObject
from tests.mockserver.apis.scenarios import Scenario, check
from tests.mockserver.apis.workspace import ANN, BO, CY, Workspace

FOLDER, DOCUMENT = (f"application/vnd.google-apps.{each}" for each in ("folder", "document"))


def granted(address: str, role: str = "owner") -> JsonObject:
    return {"id": f"p{address[:2]}", "type": "user", "role": role, "emailAddress": address}


FILES: list[JsonObject] = [
    {"id": "plan", "name": "Plan of May", "mimeType": "text/plain", "size": "3", "parents": ["f"],
     "modifiedTime": "2026-03-01T00:00:00Z", "properties": {"team": "blue"},
     "appProperties": {"key": "a"}, "viewedByMeTime": "2026-02-28T00:00:00Z"},
    {"id": "f", "name": "Folder", "mimeType": FOLDER, "modifiedTime": "2026-02-01T00:00:00Z",
     "permissions": [granted(ANN), granted(BO, "reader")]},
    {"id": "own", "name": "Own", "mimeType": DOCUMENT, "permissions": [granted(BO)],
     "owners": [{"emailAddress": BO}], "modifiedTime": "2026-02-02T00:00:00Z"},
    {"id": "team", "name": "Team plan", "driveId": "d1", "parents": ["d1"], "trashed": True,
     "modifiedTime": "2026-02-03T00:00:00Z"},
    {"id": "bin", "name": "Rubbish", "mimeType": "image/png", "trashed": True, "starred": True,
     "sharedWithMeTime": "2026-02-04T00:00:00Z", "modifiedTime": "2026-02-04T00:00:00Z"},
    {"id": "data", "name": "Data", "spaces": ["appDataFolder"],
     "modifiedTime": "2026-02-05T00:00:00Z", "shortcutDetails": {"targetId": "plan"}},
]  # fmt: skip
RESOURCES: JsonObject = {
    "drive:v3": {"files": FILES, "drives": [{"id": "d1", "name": "Drive"}],
                 "comments": [{"id": "c0", "fileId": "plan", "content": "Old"}],
                 "replies": [{"id": "r0", "fileId": "plan", "commentId": "c0", "content": "Yes"}]},
    "drive:v2": {"files": [
        {"id": "old", "title": "Old", "parents": [{"id": "f"}], "labels": {"starred": True},
         "properties": [{"key": "k", "value": "v", "visibility": "PUBLIC"}, {"key": "l"}, {}],
         "indexableText": {"text": "hidden words"}, "modifiedDate": "2026-01-01T00:00:00Z"},
        {"id": "bare", "title": "Bare", "parents": ["f", {}], "permissions": [granted(CY)]},
    ]},
}  # fmt: skip
QUERIES = (
    "name contains 'plan'", "name = 'plan of may'", "name != 'Own'", "name contains 'plan of'",
    "fullText contains 'plan may'", "fullText contains '\"plan may\"'",
    "not fullText contains 'plan'",
    "'f' in parents", f"'{BO}' in owners", "'me' in writers", "'me' in readers", "trashed = true",
    "starred != true", "sharedWithMe", "sharedWithMe = false",
    "modifiedTime > '2026-02-03T00:00:00'",
    "modifiedTime <= '2026-02-03T00:00:00' and mimeType contains 'application/'",
    "viewedByMeTime < '2026-03-01T00:00:00Z'", "modifiedTime = '2026-02-03T00:00:00Z'",
    "properties has {key='team' and value='blue'}", "appProperties has {key='key' and value='b'}",
    "shortcutDetails.targetId = 'plan'",
    "mimeType != 'text/plain' or (name = 'x' and starred = true)",
    "name > 'x'", "owners has {key='a' and value='b'}", "name contains", "colour = 'red'", "",
    "name has {key='a' and value='b'}", "labels in 'x'", "modifiedTime > 'soon'", "'' in owners",
)  # fmt: skip
LISTS: tuple[JsonObject, ...] = (
    {}, {"orderBy": "name"}, {"orderBy": "folder,name desc"}, {"orderBy": "modifiedTime desc,name"},
    {"orderBy": "name_natural"}, {"pageSize": 2}, {"spaces": "appDataFolder"},
    {"spaces": "drive,appDataFolder"},
    {"includeItemsFromAllDrives": True, "supportsAllDrives": True}, {"corpora": "domain"},
    {"corpora": "drive"}, {"corpora": "planets"}, {"driveId": "d1", "corpora": "drive",
     "includeItemsFromAllDrives": True, "supportsAllDrives": True},
)  # fmt: skip


def scenario() -> Scenario:
    space = Workspace("drive", "drive_v2", **RESOURCES)

    def ask(method: str, body: Any, who: str, /, **params: Any) -> Any:
        space.world.clock.advance(timedelta(minutes=1))
        version, _, name = method.rpartition("/")
        sent = params.pop("upload", None)
        space.media = Media(sent.encode(), "text/plain") if sent is not None else None
        answer = space.ask(f"drive:{version or 'v3'}", f"drive.{name}", body, who, **params)
        few = name == "files.list" and "pageSize" not in params
        return {**answer, **_brief(answer)} if few else answer

    call = Scenario(ask, "legacy")
    start = call("changes.getStartPageToken")["startPageToken"]
    _read(call)
    _write(call)
    _share(call)
    _comment(call)
    _follow(call, start)
    _use_version_2(call)
    _remove(call)
    return call


def _brief(answer: JsonObject) -> JsonObject:
    """The files of a list by their ids, since others are told whole."""
    return {
        name: " ".join(each["id"] for each in answer[name])
        for name in ("files", "items")
        if name in answer
    }


def _read(call: Scenario) -> None:
    for query in QUERIES:
        call("files.list", q=query)
    for params in LISTS:
        call("files.list", **params)
    for who in (BO, CY):
        call("files.list", who=who, q="trashed = false")
        for ident in ("plan", "f", "own", "team", "root", "none"):
            call("files.get", who=who, fileId=ident)
    for count in (2, 0, 1001):
        call("files.generateIds", count=count)


def _write(call: Scenario) -> None:
    made = call("files.create", {"name": "Note", "parents": ["f"]}, upload="one")
    call("files.create", {"name": "Mine", "mimeType": FOLDER})
    call("files.create", {"name": "Empty", "mimeType": "text/css"}, who=BO)
    call("files.create", {"name": "No", "parents": ["f"]}, who=BO, upload="x")
    call("files.create", {"name": "Paper", "mimeType": DOCUMENT}, upload="Words")
    where = {"fileId": made["id"]}
    call("files.update", {"name": "Notes"}, **where, upload="two and three")
    call("files.update", {"starred": True}, **where)
    call("files.update", {"starred": True}, who=BO, **where)
    revisions = call("revisions.list", **where)["revisions"]
    call("revisions.get", **where, revisionId=revisions[0]["id"])
    call("revisions.update", {"keepForever": True}, **where, revisionId=revisions[0]["id"])
    call("revisions.delete", **where, revisionId=revisions[0]["id"])
    call("revisions.list", who=BO, **where)
    for body, params in (
        ({"parents": ["x"]}, {}), ({}, {"addParents": "none"}), ({}, {"addParents": "d1"}),
        ({}, {"addParents": "root", "removeParents": "f"}), ({}, {"removeParents": "root"}),
        ({}, {"addParents": "f, own", "removeParents": "root"}), ({}, {"addParents": " f "}),
    ):  # fmt: skip
        call("files.update", body, **where, **params)
    call("files.copy", {}, fileId="plan")
    call("files.copy", {"name": "Twin", "parents": ["root"]}, who=BO, fileId="plan")
    call("files.copy", {}, who=CY, fileId="plan")


def _share(call: Scenario) -> None:
    where = {"fileId": "f"}
    for body, params in (
        ({"type": "user", "role": "writer", "emailAddress": CY}, {}),
        ({"type": "user", "role": "commenter", "emailAddress": CY.upper()}, {}),
        ({"type": "anyone", "role": "reader"}, {}), ({"type": "anyone", "role": "writer"}, {}),
        ({"type": "domain", "role": "reader", "domain": "example.com"}, {}),
        ({"type": "group", "role": "reader", "emailAddress": "g@example.org"}, {}),
        ({"type": "user", "role": "reader"}, {}), ({"role": "reader"}, {}), ({"type": "user"}, {}),
        ({"type": "planet", "role": "reader"}, {}), ({"type": "user", "role": "king"}, {}),
        ({"type": "user", "role": "owner", "emailAddress": BO}, {}),
        ({"type": "user", "role": "owner", "emailAddress": BO}, {"transferOwnership": True}),
    ):  # fmt: skip
        call("permissions.create", body, **where, **params)
    call("permissions.list", **where)
    call("permissions.list", **where, pageSize=1)
    call("permissions.list", fileId="plan")
    call("permissions.list", who=CY, fileId="own")
    call("permissions.list", fileId="data")
    for ident, role in (
        ("1", "writer"),
        ("2", "writer"),
        ("anyoneWithLink", "commenter"),
        ("no", "reader"),
    ):
        call("permissions.get", **where, permissionId=ident)
        call("permissions.update", {"role": role}, who=BO, **where, permissionId=ident)
    for who, ident in ((CY, "anyoneWithLink"), (CY, "2"), (BO, "pbo"), (BO, "anyoneWithLink")):
        call("permissions.delete", who=who, **where, permissionId=ident)
    call("permissions.list", who=BO, **where)
    call("permissions.create", {"type": "user", "role": "reader", "emailAddress": BO}, fileId="d1")


def _comment(call: Scenario) -> None:
    where = {"fileId": "plan"}
    call("comments.list", **where)
    call("comments.get", **where, commentId="c0")
    call("comments.create", {}, **where)
    call("comments.create", {"content": "No"}, who=CY, fileId="own")
    quoted = {"content": "Why?", "quotedFileContent": {"mimeType": "text/html", "value": "x"}}
    made = call("comments.create", quoted, **where)
    at = {**where, "commentId": made["id"]}
    call("comments.update", {"content": "Why not?"}, **at)
    for body in ({}, {"content": "Because"}, {"action": "resolve"}, {"action": "shout"},
                 {"action": "reopen", "content": "x"}):  # fmt: skip
        call("replies.create", body, **at)
    replies = call("replies.list", **at)["replies"]
    one = {**at, "replyId": replies[0]["id"]}
    call("replies.get", **one)
    call("replies.update", {"content": "So"}, **one)
    call("v2/comments.list", **where)
    call("v2/replies.list", **at)
    call("v2/comments.insert", {"content": "Two", "context": {"type": "t", "value": "v"}}, **where)
    call("v2/replies.insert", {"content": "Two", "verb": "resolve"}, **at)
    for method, params in (("replies.delete", one), ("comments.delete", at)):
        call(method, **params)
        call(method, **params)
    for gone in (True, False):
        call("replies.list", **where, commentId="c0", includeDeleted=gone)
        call("comments.list", **where, includeDeleted=gone)
        call("comments.get", **at, includeDeleted=gone)
        call("replies.get", **one, includeDeleted=gone)
    call("comments.get", **where, commentId="none")
    call("replies.create", {"content": "x"}, **where, commentId="none")


def _follow(call: Scenario, start: str) -> None:
    call("files.delete", fileId="bin")
    for params in ({}, {"pageSize": 2}, {"pageSize": 1000}, {"pageSize": 1001}, {"pageSize": -1},
                   {"includeRemoved": False}, {"spaces": "appDataFolder"}, {"driveId": "d1"},
                   {"includeItemsFromAllDrives": True}, {"restrictToMyDrive": True}):  # fmt: skip
        call("changes.list", pageToken=start, **params)
    for token in ("", "0", "x", "999999"):
        call("changes.list", pageToken=token)
    call("changes.list", pageToken=call("changes.getStartPageToken")["startPageToken"])


def _use_version_2(call: Scenario) -> None:
    body: Any
    for ident in ("old", "plan", "f", "own"):
        call("v2/files.get", fileId=ident)
    for params in ({}, {"maxResults": 1},
                   {"q": "title contains 'plan' and modifiedDate > '2026-01-01'"},
                   {"orderBy": "title_natural desc"}, {"corpora": "planets"}, {"corpus": "DOMAIN"},
                   {"corpora": "default"}, {"q": "fullText contains 'hidden'"}):  # fmt: skip
        call("v2/files.list", **params)
    body = {
        "title": "New",
        "parents": [{"id": "root"}],
        "properties": [{"key": "k"}],
        "mimeType": "a/b",
    }
    made = call("v2/files.insert", body, upload="content")
    where = {"fileId": made["id"]}
    call("v2/files.insert", {}, upload="Words", convert=True)
    call("v2/files.patch", {"title": "Newer", "modifiedDate": "2026-01-01T00:00:00Z"}, **where)
    call("v2/files.update", {"modifiedDate": "2026-01-01T00:00:00Z"}, **where, setModifiedDate=True)
    call("v2/files.update", {"parents": [{"id": "root"}], "id": "x"}, who=BO, fileId="f")
    call("v2/files.update", {}, **where, upload="more")
    call("v2/files.update", {}, **where, addParents="root", removeParents="f")
    call("v2/files.copy", {"title": "Twin"}, **where)
    for verb in ("trash", "untrash", "touch"):
        call(f"v2/files.{verb}", **where)
    call("v2/about.get")
    call("v2/revisions.list", **where)
    for body in ({"type": "user", "role": "reader", "value": CY, "additionalRoles": ["commenter"]},
                 {"type": "anyone", "role": "reader", "withLink": True, "value": "x"},
                 {"type": "domain", "role": "reader", "value": "example.com", "withLink": False,
                  "expirationDate": "2026-05-01T00:00:00Z"}):  # fmt: skip
        call("v2/permissions.insert", body, **where)
    call("v2/permissions.list", **where)
    call("v2/permissions.get", **where, permissionId="2")
    call("v2/permissions.patch", {"role": "writer"}, **where, permissionId="2")
    call("v2/permissions.delete", **where, permissionId="2")
    call("v2/parents.list", **where)
    call("v2/parents.insert", {"id": "f"}, **where)
    call("v2/children.list", folderId="f")
    call("v2/properties.list", **where)
    call("v2/properties.insert", {"key": "l", "value": "m"}, **where)
    call("v2/properties.get", **where, propertyKey="l")


def _remove(call: Scenario) -> None:
    for who, ident in ((CY, "plan"), (ANN, "own"), (ANN, "d1"), (BO, "f"), (ANN, "plan")):
        call("files.delete", who=who, fileId=ident)
    call("files.emptyTrash", driveId="d1")
    call("files.emptyTrash")
    call("files.list", includeItemsFromAllDrives=True, supportsAllDrives=True, orderBy="name")


def test_files_go_as_it_was_written_down() -> None:
    check(__file__, scenario())
