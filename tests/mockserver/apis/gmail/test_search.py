"""The search language, over a small mailbox."""

import json
from base64 import urlsafe_b64encode
from typing import Any

import pytest

from mockserver.apis.gmail import API
from mockserver.apis.gmail.search import Term, read_search
from mockserver.apis.gmail.state import find_messages, search_selection
from mockserver.collections import Index
from mockserver.googleapi import ApiError, Call
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import NOW, world

DAY = 86_400_000
TODAY = int(NOW.timestamp() * 1000)


def message(ident: str, days: int, text: str = "", **fields: Any) -> JsonObject:
    named = fields.pop("headers", {})
    data = urlsafe_b64encode(text.encode()).decode()
    part = {"mimeType": fields.pop("kind", "text/plain"), "body": {"data": data}}
    files = [{"filename": name, "mimeType": "x/y"} for name in fields.pop("files", ())]
    listed = [{"name": name.title(), "value": value} for name, value in named.items()]
    return {
        "id": ident,
        "internalDate": str(TODAY - days * DAY),
        "payload": {"mimeType": "multipart/mixed", "headers": listed, "parts": [part, *files]},
        **fields,
    }


MAILS = [
    message(
        "invoice",
        1,
        "Please pay at once",
        labelIds=["INBOX", "UNREAD", "Label_1"],
        headers={
            "from": "Ann Lee <ann@example.com>",
            "to": "me@example.com",
            "subject": "Invoice 7",
        },
        files=["march.PDF"],
        sizeEstimate=12_000_000,
    ),
    message(
        "dinner",
        3,
        "See you at the movie",
        labelIds=["INBOX", "STARRED"],
        headers={
            "from": "bo@example.com",
            "cc": "cy@example.com",
            "subject": "Dinner",
            "message-id": "<d1@example.com>",
        },
        sizeEstimate=900,
    ),
    message(
        "sheet",
        40,
        '<a href="https://docs.google.com/spreadsheets/d/1">Plan</a> <b>dinner</b>',
        kind="text/html",
        labelIds=["SENT", "CATEGORY_PROMOTIONS"],
        headers={"from": "me@example.com", "to": "ann@example.com"},
    ),
    message(
        "spam",
        2,
        "win",
        labelIds=["SPAM"],
        headers={"from": "bad@example.net", "list-id": "<offers.example.net>"},
    ),
    message(
        "old",
        800,
        "gone dinner",
        labelIds=["TRASH", "IMPORTANT", "CHAT"],
        headers={"delivered-to": "alias@example.com"},
    ),
]


@pytest.fixture
def mailbox() -> World:
    return world(API, sentMessages=MAILS)


def search(mailbox: World, q: str, **params: Any) -> str:
    call = Call("gmail.users.messages.list", {"q": q, **params}, {}, mailbox)
    assert call.ignored == []
    return " ".join(row["id"] for row in find_messages(call))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", "invoice dinner sheet"),
        ("from:ann", "invoice"),
        ("from:(ann OR bo)", "invoice dinner"),
        ("from:{ann bo}", "invoice dinner"),
        ("-from:ann", "dinner sheet"),
        ("to:cy", "dinner"),
        ("cc:cy", "dinner"),
        ("bcc:cy", ""),
        ("to:ann@example.com", "sheet"),
        ("from:an", ""),
        ("subject:(invoice 7)", "invoice"),
        ('subject:"invoice 7"', "invoice"),
        ("subject:{dinner invoice}", "invoice dinner"),
        ("dinner", "dinner sheet"),
        ("dinner movie", "dinner"),
        ('"the movie"', "dinner"),
        ('"movie the"', ""),
        ("pay OR movie", "invoice dinner"),
        ("example dinner OR plan", "dinner sheet"),
        ("{pay movie} from:bo", "dinner"),
        ("(pay) AND once", "invoice"),
        ("-(pay OR movie)", "sheet"),
        ("-{pay movie}", "sheet"),
        ("+pay", "invoice"),
        ("dinner - movie", "dinner"),
        ("is:unread", "invoice"),
        ("is:read", "dinner sheet"),
        ("is:starred", "dinner"),
        ("is:important", ""),
        ("is:important in:anywhere", "old"),
        ("is:sent", "sheet"),
        ("is:chat in:trash", "old"),
        ("has:attachment", "invoice"),
        ("-has:attachment", "dinner sheet"),
        ("has:spreadsheet", "sheet"),
        ("has:userlabels", "invoice"),
        ("has:nouserlabels", "dinner sheet"),
        ("has:drive", ""),
        ("filename:pdf", "invoice"),
        ("filename:march.pdf", "invoice"),
        ("filename:march", "invoice"),
        ("filename:doc", ""),
        ("larger:10M", "invoice"),
        ("smaller:1K in:inbox", "dinner"),
        ("size:900", "invoice dinner"),
        ("larger:11mb", "invoice"),
        ("newer_than:2d", "invoice"),
        ("older_than:1m", "sheet"),
        ("older_than:1y in:anywhere", "old"),
        ("newer_than:36h", "invoice"),
        ("after:2026/02/28", "invoice"),
        ("before:2026-02-28", "dinner sheet"),
        ("older:01/30/2026", "sheet"),
        (f"newer:{TODAY // 1000 - 86_400}", "invoice"),
        ("in:inbox", "invoice dinner"),
        ("in:spam", "spam"),
        ("label:trash", "old"),
        ("in:sent", "sheet"),
        ("in:drafts", ""),
        ("in:anywhere win", "spam"),
        ("list:offers.example.net in:spam", "spam"),
        ("deliveredto:alias in:trash", "old"),
        ("label:Label_1", "invoice"),
        ("label:to-pay", "invoice"),
        ("label:none", ""),
        ("category:promotions", "sheet"),
        ("category:primary", ""),
        ("rfc822msgid:<d1@example.com>", "dinner"),
        ("rfc822msgid:d1@example.com", "dinner"),
    ],
)
def test_a_search_finds_what_gmail_would(mailbox: World, query: str, found: str) -> None:
    mailbox.put("gmail:v1/labels", "users/me/labels/Label_1", {"id": "Label_1", "name": "To pay"})
    assert search(mailbox, query) == found


def test_spam_and_trash_are_shown_when_they_are_asked_for(mailbox: World) -> None:
    assert search(mailbox, "", includeSpamTrash=True) == "invoice spam dinner sheet old"
    assert search(mailbox, "", labelIds=["TRASH"]) == "old"


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("colour:red", "'colour:red' is not emulated"),
        ("has:yellow-star", "'has:yellow-star' is not emulated"),
        ("is:muted", "'is:muted' is not told"),
        ("in:snoozed", "'in:snoozed' is not told"),
        ("category:purchases", "not told"),
        ("holiday AROUND 10 vacation", "'AROUND' is not emulated"),
        ("after:yesterday", "'after:yesterday' is not emulated"),
        ("newer_than:soon", "is not emulated"),
        ("newer:20261120", "is not emulated"),
        ("larger:huge", "is not emulated"),
        ("from:", "has no value"),
        ("(pay", "')' is missing"),
        ("pay)", "nothing was opened"),
        ("pay OR", "a word is missing"),
        ("{" * 60, "too deep"),
        ("x" * 10_001, "longer than"),
    ],
)
def test_what_is_not_emulated_is_refused_with_a_fixture(
    mailbox: World, query: str, words: str
) -> None:
    with pytest.raises(ApiError) as caught:
        search(mailbox, query)
    assert (caught.value.status, words in caught.value.message) == (501, True), caught.value
    stub = json.loads(caught.value.details[0]["metadata"]["fixture"])["http"][0]
    assert stub["url"].startswith("gmail.googleapis.com/gmail/v1/users/me/messages?q=")


def test_the_fixture_of_threads_lists_threads(mailbox: World) -> None:
    call = Call("gmail.users.threads.list", {"q": "colour:red"}, {}, mailbox)
    with pytest.raises(ApiError) as caught:
        find_messages(call)
    stub = json.loads(caught.value.details[0]["metadata"]["fixture"])["http"][0]
    assert stub["url"] == "gmail.googleapis.com/gmail/v1/users/me/threads?q=colour%3Ared"
    assert stub["body"]["threads"]


@pytest.mark.parametrize(
    ("query", "how"),
    [
        ("is:unread", "index label UNREAD: 1 of 5 rows"),
        ("is:unread dinner", "index label UNREAD: 1 of 5 rows, then words 'dinner': 3 of 5 rows"),
        ("{in:sent is:starred}", "(index label SENT or sent: 1 of 5 rows or index label STARRED"),
        ("is:read", "all but (index label UNREAD: 1 of 5 rows)"),
        ("dinner OR movie", "(words 'dinner': 3 of 5 rows or words 'movie': 1 of 5 rows)"),
    ],
)
def test_labels_are_looked_up(mailbox: World, query: str, how: str) -> None:
    call = Call("gmail.users.messages.list", {"q": query}, {}, mailbox)
    table = mailbox.table("sentMessages")
    found = search_selection(table, read_search(call, query).tree).explain()
    assert found.startswith(how)


def test_a_term_means_from_its_low_bounds_to_below_the_high_ones() -> None:
    sizes = Index(lambda _, row: (int(row["sizeEstimate"]),))
    term = Term(sizes, [(3, 5), (7, 8)])
    assert [size for size in range(10) if term({"sizeEstimate": size})] == [3, 4, 7]
