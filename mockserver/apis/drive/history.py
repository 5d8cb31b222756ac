"""What happened to files: revisions of their content, comments and replies, changes.

Source: the guides on revisions, comments and changes. Not verified: which fields a revision has.
"""

from collections.abc import Mapping
from functools import partial
from hashlib import md5
from typing import Any

from mockserver.apis.drive.permissions import FILES, display_name, named_file
from mockserver.collections import Index
from mockserver.googleapi import (
    Call,
    Handler,
    file_role,
    invalid,
    not_found,
)
from mockserver.model import JsonObject
from mockserver.state import rfc3339

_REVISIONS, _COMMENTS, _REPLIES = (
    f"drive:v3/{name}" for name in ("revisions", "comments", "replies")
)
_BY_FILE = Index(lambda key, _: (key.split("/")[1],))
_BY_COMMENT = Index(lambda key, _: (key.rpartition("/replies/")[0],))


def keep_revision(call: Call, row: JsonObject) -> JsonObject:
    """Keep what was uploaded as the newest revision of a file; the file as it is then."""
    media = call.media
    if media is None:
        return row
    ident, now = f"0B{call.world.ids.base36('revision', 26)}", rfc3339(call.world.clock.now())
    told = {
        "size": str(len(media.content)),
        "md5Checksum": md5(media.content, usedforsecurity=False).hexdigest(),
        "mimeType": row.get("mimeType") or media.content_type,
        "originalFilename": row.get("originalFilename") or row.get("name", "Untitled"),
    }
    email = call.caller.email
    who = {"kind": "drive#user", "displayName": email.partition("@")[0], "me": True,
           "emailAddress": email}  # fmt: skip
    made = {"kind": "drive#revision", "id": ident, **told, "modifiedTime": now,
            "keepForever": False, "published": False, "lastModifyingUser": who}  # fmt: skip
    call.world.put(_REVISIONS, f"files/{row['id']}/revisions/{ident}", made)
    if call.contents is not None:
        place = (("fileId", str(row["id"])), ("revisionId", ident))
        call.contents.put(("drive.revisions.get", place), media)
    after = {**row, **told, "headRevisionId": ident, "modifiedTime": now}
    call.world.put(FILES, f"files/{row['id']}", after)
    return after


def forget_history(call: Call, ident: str) -> None:
    """Take away the revisions and comments of a file that is deleted."""
    for name in (_REVISIONS, _COMMENTS, _REPLIES):
        for key in call.world.table(name).find(_BY_FILE, ident).row_keys():
            call.world.delete(name, key)


def _author(call: Call) -> JsonObject:
    email = call.caller.email
    return {"kind": "drive#user", "displayName": display_name(call.world, email), "me": True,
            **({"emailAddress": email} if email else {})}  # fmt: skip


def _comment_key(call: Call) -> str:
    return f"files/{call.params['fileId']}/comments/{call.params['commentId']}"


def _words_key(call: Call, name: str) -> str:
    """The key of the comment or the reply that a call names."""
    key = _comment_key(call)
    return f"{key}/replies/{call.params[name]}" if name == "replyId" else key


def _create_comment(call: Call) -> JsonObject:
    if not call.body.get("content"):
        raise invalid("The content field is required.", reason="required", location="content")
    row = call.answer_by_conventions()
    made = {**row, "author": _author(call), "deleted": False, "resolved": False, "replies": []}
    made["htmlContent"] = str(row["content"])
    key = f"files/{call.params['fileId']}/comments/{row['id']}"
    call.world.put(_COMMENTS, key, {k: v for k, v in made.items() if k != "replies"})
    return made


_PATH = frozenset({"fileId", "commentId"})
"""Fields by which fixtures name what a comment or a reply is about."""


def _is_visible(call: Call, row: JsonObject) -> bool:
    return not row.get("deleted") or call.params.get("includeDeleted") is True


def _with_replies(call: Call, key: str, row: JsonObject) -> JsonObject:
    several = [
        _without_path(reply)
        for reply in call.world.table(_REPLIES).find(_BY_COMMENT, key)
        if _is_visible(call, reply)
    ]
    return {**_without_path(row), "replies": several or row.get("replies") or []}


def _get_comment(call: Call) -> JsonObject:
    row = _read_undeleted(call, "commentId")
    return _with_replies(call, _comment_key(call), row)


def _read_undeleted(call: Call, name: str) -> JsonObject:
    """What conventions answer to a read, where it is not deleted."""
    row = call.answer_by_conventions()
    if not _is_visible(call, row):
        raise not_found(name=str(call.params[name]))
    return _without_path(row)


def _without_path(row: JsonObject) -> JsonObject:
    return {name: each for name, each in row.items() if name not in _PATH}


def _list_comments(call: Call) -> JsonObject:
    answer = call.answer_by_conventions()
    start = f"files/{call.params['fileId']}/comments"
    several = [
        _with_replies(call, f"{start}/{each['id']}", each)
        for each in answer.get("comments", ())
        if _is_visible(call, each)
    ]
    return {**answer, "comments": several or ()}


def _list_replies(call: Call) -> JsonObject:
    answer = call.answer_by_conventions()
    several = [_without_path(each) for each in answer.get("replies", ()) if _is_visible(call, each)]
    return {**answer, "replies": several or ()}


def _delete_words(table: str, name: str, call: Call) -> None:
    """Answers `comments.delete` and `replies.delete`: what was said goes, that it was is kept."""
    key = _words_key(call, name)
    row = call.world.table(table).get(key)
    if row is None or row.get("deleted"):
        raise not_found(name=str(call.params[name]))
    kept: JsonObject = {each: row[each] for each in ("kind", "id", "createdTime") if each in row}
    now = rfc3339(call.world.clock.now())
    call.world.put(table, key, {**kept, "modifiedTime": now, "deleted": True})


def _update_words(table: str, name: str, call: Call) -> JsonObject:
    """Answers `comments.update` and `replies.update`: what was said is shown as it is now."""
    row = call.answer_by_conventions()
    made = {**row, "htmlContent": str(row.get("content", ""))}
    call.world.put(table, _words_key(call, name), made)
    return _without_path(made)


def _create_reply(call: Call) -> JsonObject:
    """Answers `replies.create`: an action resolves or reopens the comment."""
    action = call.body.get("action")
    if not call.body.get("content") and not action:
        raise invalid("The content field is required.", reason="required", location="content")
    if action not in {None, "resolve", "reopen"}:
        raise invalid("Invalid value", location="action")
    key = _comment_key(call)
    comment = call.world.table(_COMMENTS).get(key)
    if comment is None or comment.get("deleted"):
        raise not_found(name=str(call.params["commentId"]))
    row = call.answer_by_conventions()
    made = {**row, "author": _author(call), "deleted": False}
    if row.get("content"):
        made["htmlContent"] = str(row["content"])
    call.world.put(_REPLIES, f"{key}/replies/{row['id']}", made)
    if action:
        call.world.put(_COMMENTS, key, {**comment, "resolved": action == "resolve"})
    return made


def _start_token(call: Call) -> JsonObject:
    token = str(call.world.history.latest + 1)
    return {"kind": "drive#startPageToken", "startPageToken": token}


def _list_changes(call: Call) -> JsonObject:
    """Answers `changes.list`: files that changed since a token was given out, each once.

    Raises:
        ApiError: 400 for a token that is none, or whose changes are forgotten.
    """
    token = str(call.params.get("pageToken") or "")
    latest = call.world.history.latest
    changes = None
    if token.isdecimal() and 1 <= int(token) <= latest + 1:
        changes = call.world.history.since(int(token) - 1)
    if changes is None:
        raise invalid("Invalid Value", location="pageToken")
    last: dict[str, str] = {}
    for number, each in enumerate(changes, int(token)):
        if each.collection == FILES:
            last.pop(each.key, None)
            last[each.key] = str(number)
    limit = int(call.params.get("pageSize") or 100)
    if not 1 <= limit <= 1000:
        raise invalid("Invalid Value", location="pageSize")
    keys = [*last]
    now = rfc3339(call.world.clock.now())
    told = [_change(call, key, now) for key in keys[:limit]]
    shown = [each for each in told if each is not None]
    answer: JsonObject = {"kind": "drive#changeList", "changes": shown or ()}
    if len(keys) > limit:
        return {**answer, "nextPageToken": str(int(last[keys[limit - 1]]) + 1)}
    return {**answer, "newStartPageToken": str(latest + 1)}


def _change(call: Call, key: str, now: str) -> JsonObject | None:
    """A change as a caller sees it; None for a file of which the caller has nothing."""
    row = call.world.table(FILES).get(key)
    ident = key.rpartition("/")[2]
    base = {"kind": "drive#change", "type": "file", "changeType": "file", "fileId": ident}
    if row is None:
        gone = call.params.get("includeRemoved") is not False
        return {**base, "removed": True, "time": now} if gone else None
    params, drive = call.params, row.get("driveId")
    everywhere = [params.get(name) is True
                  for name in ("includeItemsFromAllDrives", "includeTeamDriveItems")]  # fmt: skip
    wanted = params.get("driveId") or params.get("teamDriveId")
    hidden = drive and (not any(everywhere) or params.get("restrictToMyDrive") is True)
    spaces = str(params.get("spaces") or "drive").split(",")
    if hidden or (wanted and drive != wanted) or not file_role(call, row):
        return None
    if not {*spaces} & {*(row.get("spaces") or ("drive",))}:
        return None
    return {**base, "removed": False, "time": row.get("modifiedTime", now), "file": row}


def _by_conventions(call: Call) -> JsonObject:
    """What conventions answer, without the fields by which fixtures name what a row is about."""
    return _without_path(call.answer_by_conventions())


def _list_revisions(call: Call) -> JsonObject:
    answer = call.answer_by_conventions()
    return {**answer, "revisions": [*map(_without_path, answer.get("revisions") or ())] or ()}


def _answer_for(role: str, answer: Handler, call: Call) -> Any:
    """Answer those who have a role at the file; ApiError 404 or 403 for others."""
    named_file(call, role)
    return answer(call)


HANDLERS: Mapping[str, Handler] = {
    "drive.changes.getStartPageToken": _start_token,
    "drive.changes.list": _list_changes,
    **{
        f"drive.{method}": partial(_answer_for, role, answer)
        for method, role, answer in (
            ("comments.create", "commenter", _create_comment),
            ("comments.delete", "commenter", partial(_delete_words, _COMMENTS, "commentId")),
            ("comments.get", "reader", _get_comment),
            ("comments.list", "reader", _list_comments),
            ("comments.update", "commenter", partial(_update_words, _COMMENTS, "commentId")),
            ("replies.create", "commenter", _create_reply),
            ("replies.delete", "commenter", partial(_delete_words, _REPLIES, "replyId")),
            ("replies.get", "reader", lambda call: _read_undeleted(call, "replyId")),
            ("replies.list", "reader", _list_replies),
            ("replies.update", "commenter", partial(_update_words, _REPLIES, "replyId")),
            ("revisions.delete", "writer", _by_conventions),
            ("revisions.get", "reader", _by_conventions),
            ("revisions.list", "reader", _list_revisions),
            ("revisions.update", "writer", _by_conventions),
        )
    },
}
