from email.message import EmailMessage

import pytest

from mockserver.apis.gmail.methods import encoded, payload, read_raw, snippet
from mockserver.googleapi import ApiError


def mail() -> EmailMessage:
    message = EmailMessage()
    message["To"] = "ann@example.com"
    message.set_content("Plain text")
    message.add_alternative("<b>Rich</b>", subtype="html")
    message.add_attachment(b"abc", maintype="application", subtype="pdf", filename="a.pdf")
    return message


@pytest.mark.parametrize("strip", [True, False])
def test_raw_is_base64_of_either_alphabet(strip: bool) -> None:
    sent = bytes(mail())
    text = encoded(sent)
    content, message = read_raw(text.rstrip("=") if strip else text.replace("-", "+"))
    assert content == sent
    assert message["To"] == "ann@example.com"


def test_what_is_not_base64_is_refused() -> None:
    with pytest.raises(ApiError):
        read_raw("a")


def test_parts_are_numbered_and_attachments_named() -> None:
    made = payload(mail())
    assert made["mimeType"] == "multipart/mixed"
    body, attachment = made["parts"]
    assert [part["partId"] for part in body["parts"]] == ["0.0", "0.1"]
    assert (attachment["filename"], attachment["body"]) == ("a.pdf", {"size": 3, "data": "YWJj"})


def test_the_snippet_is_the_beginning_of_the_text() -> None:
    assert snippet(mail()) == "Plain text"
    empty = EmailMessage()
    empty.add_attachment(b"x", maintype="application", subtype="pdf")
    assert snippet(empty) == ""
