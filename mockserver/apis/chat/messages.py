"""Messages of Chat: threads, own ids, mentions, attachments, reactions, and the search."""

import re
from collections.abc import Sequence

from mockserver.apis.chat import MESSAGES, REACTIONS, READ_STATES, SPACES, UPLOADS
from mockserver.apis.chat.spaces import (
    check_manager,
    hidden_spaces,
    is_caller,
    person,
    require_space,
    visible_spaces,
    with_names,
)
from mockserver.collections import LAST, Index
from mockserver.collections.query import Query, Rows
from mockserver.collections.selections import AllOf, ByIndex, Selection, Without
from mockserver.googleapi import (
    Call,
    by_parent,
    duplicate,
    failed_precondition,
    invalid,
    list_page,
    not_found,
    parent_of,
    permission_denied,
)
from mockserver.googleapi.list_rules import ListCall, marked, sort_keys
from mockserver.googleapi.lists import PageRule
from mockserver.model import JsonObject
from mockserver.state import rfc3339

_CONTENT = ("text", "fallbackText", "cardsV2", "cards", "attachment", "accessoryWidgets",
            "attachedGifs")  # fmt: skip
_KEPT = (*_CONTENT, "markupSyntax", "privateMessageViewer", "quotedMessageMetadata", "elements")
_OF_DELETED = ("name", "createTime", "thread", "space", "sender")
_OWN_ID = re.compile(r"client-[a-z0-9-]{1,56}")
_MENTION = re.compile(r"<(users/[^>\s]+)>")
_NEW = "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD"
_OR_FAIL = "REPLY_MESSAGE_OR_FAIL"
_FOUND = PageRule(default=25, maximum=100)

_BY_OWN_ID = Index(
    lambda key, row: ((parent_of(key, 2), str(row.get("clientAssignedMessageId", ""))),)
)
_BY_THREAD = Index(lambda _, row: (str((row.get("thread") or {}).get("name", "")),))
_BY_THREAD_KEY = Index(lambda key, row: ((parent_of(key, 2), _thread_key(row)),))
_BY_EMOJI = Index(lambda key, row: ((parent_of(key, 2), *_who_and_what(row)),))
_BY_PLACE = Index(lambda key, _: ((parent_of(key, 2),),))


def _thread_key(row: JsonObject) -> str:
    return str((row.get("thread") or {}).get("threadKey", ""))


def is_deleted(row: JsonObject) -> bool:
    """Whether a message is kept only as one that was deleted."""
    return "deleteTime" in row


def _emoji(row: JsonObject) -> str:
    emoji = row.get("emoji") or {}
    return str(emoji.get("unicode") or (emoji.get("customEmoji") or {}).get("name", ""))


def _who_and_what(row: JsonObject) -> tuple[str, str]:
    return str((row.get("user") or {}).get("name", "")), _emoji(row)


def _require_message(call: Call, name: str) -> JsonObject:
    """A message by its name or the id that its sender gave; raises ApiError: 403, 404."""
    space = require_space(call, "/".join(name.split("/")[:2]))
    table = call.world.table(MESSAGES)
    key = table.first(_BY_OWN_ID, (space["name"], name.rpartition("/")[2]))
    row = table.get(name) or table.get(key or "")
    if row is None or is_deleted(row):
        raise not_found(name=name)
    return row


def _view(call: Call, row: JsonObject) -> JsonObject:
    return {**row, "sender": with_names(call, row["sender"])} if row.get("sender") else row


def _content(call: Call, given: JsonObject) -> JsonObject:
    """What a message says: its text with mentions as people read them, and its attachments.

    Raises:
        ApiError: 400 for no content, or what people may not send; 404 for whom it mentions.
    """
    kept = {name: given[name] for name in _KEPT if given.get(name)}
    if not any(name in kept for name in _CONTENT):
        text = "Message cannot be empty. Must have one or more of the following: {}."
        raise invalid(text.format(", ".join(_CONTENT)))
    if kept.keys() & {"cards", "cardsV2"} and person(call)["type"] == "HUMAN":
        raise invalid("Message cannot have cards for requests carrying human credentials.")
    if "attachment" in kept:
        kept["attachment"] = [_attachment(call, each) for each in kept["attachment"]]
    text = str(kept.get("text") or "")
    if not text:
        return kept
    shown, annotations, behind = "", list[JsonObject](), 0
    for hit in _MENTION.finditer(text):
        everyone = hit[1] == "users/all"
        user = {"name": "users/all"} if everyone else with_names(call, person(call, hit[1]))
        word = f"@{'all' if everyone else user.get('displayName', hit[1])}"
        shown += text[behind : hit.start()]
        mention = {"user": user, "type": "MENTION"}
        place = {"startIndex": len(shown), "length": len(word)}
        annotations.append({"type": "USER_MENTION", **place, "userMention": mention})
        shown, behind = shown + word, hit.end()
    shown += text[behind:]
    kept |= {"text": shown, "formattedText": text, "argumentText": shown}
    return {**kept, **({"annotations": annotations} if annotations else {})}


def _thread(call: Call, space: JsonObject, ident: str) -> tuple[JsonObject, bool]:
    """The thread of a new message, and whether it is a reply; raises ApiError: 404."""
    params, given = call.params, call.body.get("thread") or {}
    key, option = (
        given.get("threadKey") or params.get("threadKey"),
        params.get("messageReplyOption"),
    )
    new = {"name": f"{space['name']}/threads/{ident}"}
    if option not in {_NEW, _OR_FAIL}:
        return new, False
    table, name = call.world.table(MESSAGES), str(given.get("name") or "")
    found = table.first(_BY_THREAD, name) if name else None
    if found is None and key:
        found = table.first(_BY_THREAD_KEY, (space["name"], str(key)))
    row = table.get(found or "")
    if row is not None:
        return row["thread"], True
    if option == _OR_FAIL:
        raise not_found(name=name or str(key))
    return {**new, **({"threadKey": str(key)} if key else {})}, False


def create_message(call: Call) -> JsonObject:
    """Answers `messages.create`.

    Raises:
        ApiError: 400, 403 for who is no member, 404 for a thread, 409 for an id that is taken.
    """
    space, world = require_space(call, str(call.params["parent"])), call.world
    own, name = str(call.params.get("messageId") or ""), str(space["name"])
    if own and not _OWN_ID.fullmatch(own):
        text = "Message ID must begin with 'client-', followed by lowercase letters, numbers and"
        raise invalid(f"{text} hyphens, up to 63 characters.", location="message_id")
    if own and world.table(MESSAGES).first(_BY_OWN_ID, (name, own)):
        raise duplicate(f"The message {name}/messages/{own} exists already.")
    known = call.params.get("requestId")
    key = f"{name}/requests/{known}"
    made = world.table(f"{MESSAGES}/requests").get(key) if known else None
    if made:
        return _view(call, world.table(MESSAGES).rows()[str(made["name"])])
    content, ident = _content(call, call.body), world.ids.base36("message", 11)
    thread, is_reply = _thread(call, space, ident)
    now = rfc3339(world.clock.now())
    head = str(thread["name"]).rpartition("/")[2]
    row = {
        "name": f"{name}/messages/{head}.{ident}", "sender": person(call), "createTime": now,
        **content, "thread": thread, "space": {"name": name}, "threadReply": is_reply,
        **({"clientAssignedMessageId": own} if own else {}),
    }  # fmt: skip
    row = _with_attachments(row)
    world.put(MESSAGES, str(row["name"]), row)
    world.put(SPACES, name, {**space, "lastActiveTime": now})
    if known:
        world.put(f"{MESSAGES}/requests", key, {"name": row["name"]})
    return _view(call, row)


def read_message(call: Call) -> JsonObject:
    """Answers `messages.get`."""
    return _view(call, _require_message(call, str(call.params["name"])))


def list_messages(call: Call) -> JsonObject:
    """Answers `messages.list`."""
    require_space(call, str(call.params["parent"]))
    answer = call.answer_by_conventions()
    shown = [_view(call, row) for row in answer.get("messages") or ()]
    return {**answer, **({"messages": shown} if shown else {})}


def change_message(call: Call) -> JsonObject:
    """Answers `messages.patch` and `update`, of the caller's own messages.

    Raises:
        ApiError: 400 without a mask, 403 for the message of another, 404.
    """
    mask = [each for each in str(call.params.get("updateMask") or "").split(",") if each]
    if not mask:
        raise invalid("The field update_mask is required.", location="update_mask")
    name = str(call.params["name"])
    row = _require_message(call, name)
    if not is_caller(call, row.get("sender")):
        raise permission_denied()
    fields = _CONTENT if mask == ["*"] else [_FIELDS.get(each.strip(), "") for each in mask]
    if "" in fields:
        text = f"Invalid update_mask: '{call.params['updateMask']}'."
        raise invalid(text, location="update_mask")
    given = {each: call.body[each] for each in fields if each in call.body}
    told = {**row, **({"text": row["formattedText"]} if "formattedText" in row else {})}
    kept = {each: told[each] for each in _KEPT if each in told and each not in fields}
    content = _content(call, {**kept, **given})
    left = {each: row[each] for each in row if each not in {*_KEPT, *_TEXTS}}
    after = {**left, **content, "lastUpdateTime": rfc3339(call.world.clock.now())}
    call.world.put(MESSAGES, str(row["name"]), _with_attachments(after))
    return _view(call, after)


_TEXTS = ("formattedText", "argumentText", "annotations")
_FIELDS = {
    "text": "text", "attachment": "attachment", "cards": "cards", "cards_v2": "cardsV2",
    "cardsV2": "cardsV2", "accessory_widgets": "accessoryWidgets",
    "accessoryWidgets": "accessoryWidgets", "fallbackText": "fallbackText",
    "quoted_message_metadata": "quotedMessageMetadata",
    "quotedMessageMetadata": "quotedMessageMetadata",
}  # fmt: skip


def delete_message(call: Call) -> JsonObject:
    """Answers `messages.delete`: of one's own messages, or by managers; replies go along by force.

    Raises:
        ApiError: 400 for a message with replies, 403, 404.
    """
    row, world = _require_message(call, str(call.params["name"])), call.world
    own = is_caller(call, row.get("sender"))
    if not own:
        check_manager(call, parent_of(str(row["name"]), 2))
    several = world.table(MESSAGES).find(_BY_THREAD, str((row.get("thread") or {}).get("name")))
    replies = [each for each in several if each.get("threadReply") and not is_deleted(each)]
    gone = [row] if row.get("threadReply") else [row, *replies]
    if len(gone) > 1 and call.params.get("force") is not True:
        raise failed_precondition("The message has threaded replies: set force to delete them.")
    kind = "CREATOR" if own else "SPACE_OWNER"
    told = {"deleteTime": rfc3339(world.clock.now()), "deletionMetadata": {"deletionType": kind}}
    for each in gone:
        kept: JsonObject = {name: each[name] for name in _OF_DELETED if name in each}
        world.put(MESSAGES, str(each["name"]), {**kept, **told})
    return {}


# attachments


def upload_attachment(call: Call) -> JsonObject:
    """Answers `media.upload`: what is uploaded is attached to messages by its reference."""
    name = str(require_space(call, str(call.params["parent"]))["name"])
    if call.media is None or not call.body.get("filename"):
        raise invalid("The filename and the content of the attachment must be set.")
    token = call.world.ids.base36("upload", 24)
    data = {"resourceName": f"{name}/attachments/{token}", "attachmentUploadToken": token}
    told = {"contentName": call.body["filename"], "contentType": call.media.content_type}
    call.world.put(UPLOADS, token, {"attachmentDataRef": data, **told})
    if call.contents is not None:
        place = (("resourceName", data["resourceName"]),)
        call.contents.put(("chat.media.download", place), call.media)
    return {"attachmentDataRef": data}


def _attachment(call: Call, given: JsonObject) -> JsonObject:
    data = given.get("attachmentDataRef") or {}
    if "driveDataRef" in given or given.get("name"):
        return given
    name = str(data.get("resourceName", ""))
    token = str(data.get("attachmentUploadToken") or name.rpartition("/")[2])
    row = call.world.table(UPLOADS).get(token)
    if row is None:
        raise invalid(f"The attachment {token!r} was not uploaded.", location="attachment")
    data = {"resourceName": row["attachmentDataRef"]["resourceName"]}
    return {**row, "attachmentDataRef": data, "source": "UPLOADED_CONTENT"}


def _with_attachments(row: JsonObject) -> JsonObject:
    """A message whose attachments have names."""
    several = [
        {"name": f"{row['name']}/attachments/{number}", **each}
        for number, each in enumerate(row.get("attachment") or (), 1)
    ]
    return {**row, **({"attachment": several} if several else {})}


def read_attachment(call: Call) -> JsonObject:
    """Answers `attachments.get`."""
    name = str(call.params["name"])
    row = _require_message(call, parent_of(name, 2))
    found = [each for each in row.get("attachment") or () if each.get("name") == name]
    if not found:
        raise not_found(name=name)
    return dict(found[0])


# reactions


def _count_reactions(call: Call, message: JsonObject, emoji: JsonObject, by: int) -> None:
    """Keep how often a message has an emoji."""
    counts = {_emoji(each): each for each in message.get("emojiReactionSummaries") or ()}
    before = counts.pop(_emoji({"emoji": emoji}), {})
    number = int(before.get("reactionCount") or 0) + by
    told = [*counts.values(), *([{"emoji": emoji, "reactionCount": number}] if number > 0 else [])]
    kept = {name: each for name, each in message.items() if name != "emojiReactionSummaries"}
    after = {**kept, **({"emojiReactionSummaries": told} if told else {})}
    call.world.put(MESSAGES, str(message["name"]), after)


def add_reaction(call: Call) -> JsonObject:
    """Answers `reactions.create`; raises ApiError: 400, 403, 404, 409 for the same once more."""
    message, world = _require_message(call, str(call.params["parent"])), call.world
    row: JsonObject = {"user": person(call), "emoji": call.body.get("emoji") or {}}
    if not _emoji(row):
        raise invalid("The emoji must be set.", location="reaction.emoji")
    name = str(message["name"])
    if world.table(REACTIONS).first(_BY_EMOJI, (name, *_who_and_what(row))):
        raise duplicate("The reaction exists already.")
    row = {"name": f"{name}/reactions/{world.ids.base36('reaction', 16)}", **row}
    world.put(REACTIONS, str(row["name"]), row)
    _count_reactions(call, message, row["emoji"], 1)
    return {**row, "user": with_names(call, row["user"])}


def list_reactions(call: Call) -> JsonObject:
    """Answers `reactions.list`."""
    call.params["parent"] = _require_message(call, str(call.params["parent"]))["name"]
    answer = call.answer_by_conventions()
    shown = [{**each, "user": with_names(call, each.get("user") or {})}
             for each in answer.get("reactions") or ()]  # fmt: skip
    return {**answer, **({"reactions": shown} if shown else {})}


def delete_reaction(call: Call) -> JsonObject:
    """Answers `reactions.delete`, of one's own; raises ApiError: 403, 404."""
    name = str(call.params["name"])
    message = _require_message(call, parent_of(name, 2))
    name = f"{message['name']}/reactions/{name.rpartition('/')[2]}"
    row = call.world.table(REACTIONS).get(name)
    if row is None:
        raise not_found(name=name)
    if not is_caller(call, row.get("user")):
        raise permission_denied()
    call.world.delete(REACTIONS, name)
    _count_reactions(call, message, row["emoji"], -1)
    return {}


# search

_TERM = re.compile(
    r"""(?P<call>has_link\(\)|is_unread\(\))
    |(?P<field>space\.display_name|space\.space_type|annotations\.user_mentions\.user\.name
       |sender\.name)\s*(?:=|:)\s*(?P<value>"[^"]*"|[^\s()]+)
    |(?P<quoted>"[^"]*")""",
    re.VERBOSE,
)


def search_messages(call: Call) -> JsonObject:
    """Answers `messages.search`, over the spaces that the caller is in.

    Raises:
        ApiError: 400 for a filter that cannot be read.
    """
    text = str(call.body.get("filter") or "")
    if not text.strip():
        raise invalid("The filter must be set.", location="filter")
    table, parent = call.world.table(MESSAGES), str(call.params["parent"])
    around = None if parent == "spaces/-" else [str(require_space(call, parent)["name"])]
    named = sorted(hidden_spaces(call)) if around is None else around
    bounds = [((each,), (each, LAST)) for each in named]
    told = ByIndex(
        table, by_parent(2), bounds, words="spaces of others" if around is None else parent
    )
    own: Selection = Without(table, told) if around is None else told
    asked = ListCall(call, table, {"createTime"})
    wanted = asked.meeting(_TERM.sub(lambda hit: _rewritten(call, around, hit), text), "filter")
    where = AllOf([own, Without(table, marked(table, is_deleted, "deleted")), wanted])
    order = str(call.body.get("orderBy") or "create_time desc").replace("relevance", "create_time")
    query = Query(name=MESSAGES, where=where, order=sort_keys(asked, order))
    answer = list_page(call, "results", Rows(table, query.keys(table)), _FOUND)
    shown = [{"message": _view(call, row)} for row in answer.get("results") or ()]
    return {**answer, **({"results": shown} if shown else {})}


def _rewritten(call: Call, asked: Sequence[str] | None, hit: re.Match[str]) -> str:
    """A term of a search as a filter over the fields of messages."""
    if hit["quoted"]:
        return hit["quoted"]
    spaces = call.world.table(SPACES)
    if hit["call"]:
        if hit["call"].startswith("has"):
            return '(text:"http://" OR text:"https://")'
        around = visible_spaces(call) if asked is None else asked
        found = [f'(space.name = "{each}" AND createTime > "{_read_until(call, each)}")'
                 for each in around]  # fmt: skip
        return f"({' OR '.join(found)})" if found else 'name = "-"'
    value = hit["value"].strip('"')
    if hit["field"] in {"sender.name", "annotations.user_mentions.user.name"}:
        path = hit["field"].replace("user_mentions", "userMention")
        return f'{path} = "{person(call, value)["name"]}"'
    field = "displayName" if hit["field"].endswith("display_name") else "spaceType"
    fold, around = value.casefold(), visible_spaces(call) if asked is None else asked
    held = [each for each in around
            if fold in str((spaces.get(each) or {}).get(field, "")).casefold()]  # fmt: skip
    found = [f'space.name = "{each}"' for each in held]
    return f"({' OR '.join(found)})" if found else 'name = "-"'


def _read_until(call: Call, space: str) -> str:
    key = f"{person(call)['name']}/{space}/spaceReadState"
    row = call.world.table(READ_STATES).get(key) or {}
    return str(row.get("lastReadTime") or "1970-01-01T00:00:00Z")
