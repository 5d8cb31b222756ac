"""Recordings of polly.js: HAR with bodies in pieces, and with JSON that a persister has opened."""

import base64

import orjson

from mockserver.cassettes.files.values import MisplacedError
from mockserver.cassettes.foreign import har
from mockserver.cassettes.foreign.imported import Imported, Source
from mockserver.model import Json, JsonObject
from mockserver.storage.reading import Place

NAME = "polly.js"


def recognises(value: Json) -> bool:
    """Whether it is HAR that Polly.JS made."""
    if not har.recognises(value):
        return False
    creator = value["log"].get("creator")
    return isinstance(creator, dict) and creator.get("name") == "Polly.JS"


def read(value: Json, source: Source) -> Imported:
    """The exchanges of a recording; those that cannot be used are left out with a note."""
    found = har.read(value, source, entry=_as_har)
    return Imported(NAME, found.interactions, found.notes, found.recorded_by)


def _as_har(entry: JsonObject, place: Place) -> JsonObject:
    asked, answer = entry.get("request"), entry.get("response")
    if not isinstance(asked, dict) or not isinstance(answer, dict):
        return entry
    posted = asked.get("postData")
    content = answer.get("content")
    if isinstance(posted, dict):
        asked = {**asked, "postData": _with_text(posted)}
    if isinstance(content, dict):
        coded = any(
            isinstance(each, dict) and str(each.get("name")).lower() == "content-encoding"
            for each in answer.get("headers") or ()
        )
        where = (*place, "response", "content")
        answer = {**answer, "content": _joined(_with_text(content), where, coded=coded)}
    return {**entry, "request": asked, "response": answer}


def _with_text(content: JsonObject) -> JsonObject:
    """With the text that a persister keeps in a form that people can read."""
    if "textJSON" in content and "text" not in content:
        return {**content, "text": orjson.dumps(content["textJSON"]).decode(), "encoding": ""}
    return content


def _joined(content: JsonObject, place: Place, *, coded: bool) -> JsonObject:
    """With the pieces of a coded body put together: a list in JSON, in base64 or hex."""
    text = content.get("text")
    if not isinstance(text, str) or not (content.get("encoding") == "base64" or coded):
        return content
    if not text.startswith("["):
        return content
    try:
        pieces = orjson.loads(text)
        in_base64 = content.get("encoding") == "base64"
        joined = b"".join(
            base64.b64decode(each, validate=True) if in_base64 else bytes.fromhex(each)
            for each in pieces
        )
    except (ValueError, TypeError) as error:
        if coded and content.get("encoding") != "base64":
            return content  # JSON that was opened, as it came
        raise MisplacedError((*place, "text"), f"is no list of pieces: {error}") from error
    return {**content, "text": base64.b64encode(joined).decode(), "encoding": "base64"}
