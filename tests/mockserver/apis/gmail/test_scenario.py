"""A day of three mailboxes, with every answer in whole."""

from datetime import timedelta
from typing import Any

from mockserver.model import JsonObject
from tests.mockserver.apis.gmail.conftest import raw
from tests.mockserver.apis.scenarios import Scenario, check
from tests.mockserver.apis.workspace import ANN, BO, CY, Workspace

TOPIC, READER = "projects/p/topics/mail", "projects/p/subscriptions/reader"
PARTS: JsonObject = {
    "mimeType": "multipart/mixed",
    "headers": [
        {"name": "From", "value": "Shop <shop@example.net>"},
        {"name": "Subject", "value": "Rechnung für März"},
        {"name": "Message-ID", "value": "<bill@example.net>"},
        {"name": "Content-Type", "value": "multipart/mixed; boundary=x"},
    ],
    "parts": [
        {"mimeType": "text/plain", "partId": "0", "body": {"data": "QmlsbA=="}},
        {"mimeType": "text/html", "partId": "1", "filename": 'a"b.html', "body": {"data": "PGI-"}},
        {"mimeType": "image/png", "partId": "2", "filename": "c.png",
         "body": {"attachmentId": "A9", "size": 3, "data": "AAAA"}},
    ],
}  # fmt: skip
RESOURCES: JsonObject = {
    "messages": [
        {"id": "bill", "payload": PARTS, "internalDate": "1772200000000", "userId": ANN},
        {"id": "odd", "payload": {"body": {"data": "%"}}, "labelIds": ["TRASH"],
         "historyId": "7000"},
        {"id": "late", **raw("Date: Sun, 01 Mar 2026 10:00:00 +0100\nSubject: Late\n\nx"),
         "threadId": "bill", "labelIds": ["INBOX", "UNREAD", "Label_2"]},
    ],
    "labels": [{"id": "Label_2", "name": "Bills"}, {"id": "Label_x", "name": "X"}],
    f"users/{BO}/labels": [{"id": "Label_1", "name": "Of Bo"}],
    "drafts": [{"id": "d1", "message": raw(f"To: {BO}\r\nSubject: Old\r\n\r\nx")}],
}  # fmt: skip


def mail(to: str, subject: str = "Hi", head: str = "") -> JsonObject:
    return raw(f"To: {to}\r\nSubject: {subject}\r\n{head}\r\nSome words")


def scenario() -> Scenario:
    space = Workspace("gmail", "pubsub", **{"gmail:v1": RESOURCES})

    def ask(method: str, body: Any, who: str, /, **params: Any) -> Any:
        space.world.clock.advance(timedelta(minutes=params.pop("wait", 1)))
        if method.startswith("pubsub."):
            return space.ask("pubsub:v1", method, body, who, **params)
        return space.ask("gmail:v1", f"gmail.users.{method}", body, who, userId="me", **params)

    call = Scenario(ask, "legacy")
    _read(call)
    _send(call)
    space.world.put("users", "2", {**space.world.table("users").rows()["2"], "suspended": True})
    call("messages.send", mail(CY, "Gone"))
    _write(call)
    _set(call)
    _watch(call)
    return call


def _read(call: Scenario) -> None:
    call("getProfile")
    for form in ("full", "metadata", "minimal", "raw"):
        call("messages.get", id="bill", format=form)
    call("messages.get", id="odd", format="RAW")
    call("messages.get", id="late", format="metadata", metadataHeaders=["subject"])
    call("messages.get", id="none")
    for part in ("A9", "ANGjbill-1", "ANGjbill-0"):
        call("messages.attachments.get", messageId="bill", id=part)
    for params in ({}, {"q": "subject:late"}, {"labelIds": ["INBOX", "UNREAD"]}, {"maxResults": 1},
                   {"includeSpamTrash": True}, {"q": "colour:red"}):  # fmt: skip
        call("messages.list", **params)
        call("threads.list", **params)
    for form in ("minimal", "full"):
        call("threads.get", id="bill", format=form)
    call("threads.get", id="none")
    call("messages.list", who=CY, q="is:unread")
    call("labels.list", who=BO)
    for ident in ("INBOX", "Label_2", "TRASH", "Label_1", "None"):
        call("labels.get", id=ident)


def _send(call: Scenario) -> None:
    sent = call(
        "messages.send", mail(f"Bo <{BO}>, {ANN}", "Lunch", f"Cc: {CY}\r\nBcc: x@y.org\r\n")
    )
    (got, *_) = call("messages.list", who=BO)["messages"]
    call("messages.get", who=BO, id=got["id"])
    call("messages.get", id=sent["id"])
    told = call(
        "messages.get", who=BO, id=got["id"], format="metadata", metadataHeaders=["Message-ID"]
    )
    answer = f"In-Reply-To: {told['payload']['headers'][0]['value']}\r\n"
    call("messages.send", mail(ANN, "AW: Re: Lunch", answer), who=BO)
    call("messages.send", mail(ANN, "Dinner", answer), who=BO)
    call("threads.list", q="lunch")
    call("messages.send", {**mail(BO), "threadId": "bill"})
    call("messages.send", mail("sre@example.com, none@example.org", "Group"))
    call("messages.list", who=CY, q="subject:group")
    for body in ({}, {"raw": "%"}, raw("Subject: x\r\n\r\nx")):
        call("messages.send", body)
    dated = "Date: Mon, 05 Jan 2026 08:00:00 +0100\r\n"
    for verb in ("insert", "import"):
        made = call(f"messages.{verb}", {**mail(ANN, verb, dated), "labelIds": ["INBOX", "INBOX"]})
        call("messages.get", id=made["id"], format="minimal")
    made = call("messages.import", mail(ANN, "now", dated), internalDateSource="receivedTime")
    call("messages.get", id=made["id"], format="minimal")
    made = call("messages.import", mail(ANN, "then", "Date: then\r\n"))
    call("messages.get", id=made["id"], format="minimal")
    call("messages.insert", {**mail(ANN), "labelIds": ["No"]})


def _write(call: Scenario) -> None:
    body: Any
    start = call("getProfile")["historyId"]
    draft = call("drafts.create", {"message": {**mail(BO, "One"), "threadId": "bill"}})
    call("drafts.update", {"message": mail(BO, "Two")}, id=draft["id"])
    call("drafts.get", id=draft["id"])
    call("drafts.list", maxResults=1)
    call("drafts.send", {"id": draft["id"], "message": mail(BO, "Three")})
    call("drafts.send", {"id": "d1"})
    for method in ("drafts.get", "drafts.update", "drafts.delete"):
        call(method, {"message": mail(BO)}, id="d1")
    call("drafts.create", {})
    call("drafts.delete", id=call("drafts.create", {"message": raw("\r\nx")})["id"])
    add, remove = {"addLabelIds": ["STARRED", "Label_2"]}, {"removeLabelIds": ["UNREAD", "STARRED"]}
    for body in (add, remove, {**add, **remove}, {}, {"addLabelIds": ["DRAFT"]}):
        call("messages.modify", body, id="late")
    call("threads.modify", add, id="bill")
    call("messages.batchModify", {"ids": ["late"], **remove})
    call("messages.batchModify", {"ids": ["late", "none"], **add})
    for verb in ("trash", "untrash"):
        call(f"messages.{verb}", id="late")
        call(f"threads.{verb}", id="bill")
    for body in ({"name": "Later"}, {"name": "bills"}, {"name": "Inbox"}, {"name": ""},
                 {"name": "Of Bo", "color": {"textColor": "#000000"}, "id": "mine",
                  "labelListVisibility": "labelHide"}):  # fmt: skip
        call("labels.create", body)
    call("labels.patch", {"name": "BILLS", "messageListVisibility": "hide"}, id="Label_2")
    call("labels.update", {"name": "Later"}, id="Label_2")
    for ident in ("INBOX", "None", "Label_1"):
        call("labels.patch", {"name": "Other"}, id=ident)
        call("labels.delete", id=ident)
    call("labels.delete", id="Label_2")
    call("labels.list")
    call("messages.delete", id="late")
    call("messages.batchDelete", {"ids": ["odd", "odd", "none"]})
    call("threads.delete", id="bill")
    call("history.list", startHistoryId=start)
    for params in ({"historyTypes": ["labelAdded"]}, {"labelId": "TRASH"}, {"maxResults": 1}):
        call("history.list", startHistoryId=start, **params)
    for wrong in ("", "x", "0", "1"):
        call("history.list", startHistoryId=wrong)
    call("history.list", startHistoryId="9" * 9)


def _set(call: Scenario) -> None:
    for name in ("AutoForwarding", "Imap", "Language", "Pop", "Vacation"):
        call(f"settings.get{name}")
    call("settings.updateLanguage", {"displayLanguage": "de"})
    for kind, field in (("delegates", "delegateEmail"), ("forwardingAddresses", "forwardingEmail"),
                        ("sendAs", "sendAsEmail")):  # fmt: skip
        call(f"settings.{kind}.list")
        for address in (BO, BO, "x@example.org", "none"):
            call(f"settings.{kind}.create", {field: address})
        call(f"settings.{kind}.get", **{field: BO})
        call(f"settings.{kind}.delete", **{field: BO})
        call(f"settings.{kind}.get", **{field: BO})
        call(f"settings.{kind}.list")
    call("settings.sendAs.update", {"signature": "A"}, sendAsEmail=ANN)
    call("settings.sendAs.patch", {"replyToAddress": BO, "sendAsEmail": "y"}, sendAsEmail=ANN)
    call("settings.sendAs.delete", sendAsEmail=ANN)
    call("settings.updateAutoForwarding", {"enabled": True, "emailAddress": "x@example.org"})
    call("settings.forwardingAddresses.create", {"forwardingEmail": ANN}, who=BO)
    for criteria in ({"size": 100000}, {"size": 100000, "sizeComparison": "smaller"},
                     {"negatedQuery": "words"}, {"hasAttachment": True},
                     {"to": "bo", "query": "hi"}):  # fmt: skip
        action = {
            "addLabelIds": ["STARRED", "IMPORTANT"],
            "removeLabelIds": ["UNREAD"],
            "forward": ANN,
        }
        made = call("settings.filters.create", {"criteria": criteria, "action": action}, who=BO)
        call("messages.send", mail(BO, "Filtered"))
        for who in (ANN, BO):
            (latest, *_) = call("messages.list", who=who, maxResults=1)["messages"]
            call("messages.get", who=who, id=latest["id"], format="minimal")
        call("settings.filters.delete", who=BO, id=made["id"])
    for disposition in ("archive", "trash", "markRead", "leaveInInbox"):
        auto = {"enabled": True, "emailAddress": ANN, "disposition": disposition}
        call("settings.updateAutoForwarding", auto, who=BO)
        call("messages.send", mail(BO, disposition))
        call("messages.list", who=BO, q=f"in:anywhere subject:{disposition}")
        (first, *_) = call("messages.list", who=BO, maxResults=1, includeSpamTrash=True)["messages"]
        call("messages.get", who=BO, id=first["id"], format="minimal")
    call("settings.updateAutoForwarding", {"enabled": False}, who=BO)
    away = {"enableAutoReply": True, "responseBodyPlainText": "Away", "responseBodyHtml": "<p>Away"}
    call("settings.updateVacation", away, who=BO)
    call("messages.send", mail(BO, "Where?"))
    (first, *_) = call("messages.list", maxResults=1)["messages"]
    call("messages.get", id=first["id"])
    days = 4 * 24 * 60
    for wait in (days - 2, 1, days + 1):
        call("messages.send", mail(BO, f"Again {wait}"), wait=wait)
        call("messages.list", q="subject:re from:bo")
    start = 1_772_442_000_000 + 60_000 * 60 * 24 * 100
    call("settings.updateVacation", {**away, "startTime": str(start)}, who=BO)
    call("messages.send", mail(BO, "Early"), wait=days)
    call("settings.updateVacation", {**away, "endTime": "1772442000000"}, who=BO)
    call("messages.send", mail(BO, "Late"), wait=days)
    call("messages.list", q="subject:re from:bo")


def _watch(call: Scenario) -> None:
    call("pubsub.projects.topics.create", {}, name=TOPIC)
    call("pubsub.projects.subscriptions.create", {"topic": TOPIC}, name=READER)
    for body in ({}, {"topicName": "projects/p/topics/none"}):
        call("watch", body, who=BO)
    for filters in (
        {},
        {"labelIds": ["INBOX"]},
        {"labelIds": ["INBOX"], "labelFilterBehavior": "exclude"},
    ):
        call("watch", {"topicName": TOPIC, **filters, "userId": "x"}, who=BO)
        call("messages.send", mail(BO))
    call("stop", who=BO)
    call("messages.send", mail(BO))
    call("pubsub.projects.subscriptions.pull", {"maxMessages": 100}, subscription=READER)


def test_a_day_of_mail_goes_as_it_was_written_down() -> None:
    check(__file__, scenario())
