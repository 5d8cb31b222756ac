"""Cassettes of vcrpy and pytest-recording, as their serializers wrote them.

Beside vcrpy's own: bodies that a serializer of a project's own keeps as JSON, under `parsed_body`
in place of `body` or as an object where the text would stand, and files without a `version`.
"""

import json
from dataclasses import replace

from mockserver.cassettes.files.parser import interaction_of, interactions_of
from mockserver.cassettes.foreign.common import (
    ImportedRecording,
    Source,
    decode_if_coded,
    import_items,
    read_entry,
    with_places,
)
from mockserver.model import CASSETTE_VERSION, Interaction, Json, JsonObject
from mockserver.storage.untrusted_json import Place

NAME = "cassette"
_TEXTS = frozenset({"string", "base64"})
_FILE = frozenset({"sha256", "bytes"})


def recognises(value: Json) -> bool:
    """Whether it has `interactions`."""
    return isinstance(value, dict) and "interactions" in value


def read(value: Json, _source: Source) -> ImportedRecording:
    """The interactions of a cassette; those that cannot be used are left out with a note.

    Raises:
        MisplacedError: It is of a version that we do not know.
    """
    items, info = interactions_of({"version": CASSETTE_VERSION, **value})
    return import_items(NAME, with_places(list(items), ("interactions",)), _interaction, info=info)


def _interaction(value: Json, place: Place) -> Interaction:
    item, request, response = read_entry(value, place)
    item = {
        **item,
        "request": _with_request_body(request),
        "response": _with_response_body(response),
    }
    made = interaction_of(item, place)
    if "recorded" in item:  # by this program: what is coded has its recipe
        return made
    headers, body, coding = decode_if_coded(made.response.headers, made.response.body)
    return replace(made, response=replace(made.response, headers=headers, body=body, coding=coding))


def _with_request_body(request: JsonObject) -> JsonObject:
    given = dict(request)
    body = given.get("body")
    if "parsed_body" in given:
        body = _json_text(given.pop("parsed_body"))
    elif isinstance(body, dict | list) and not _is_file(body):
        body = _other_body(body)
    return {**given, "body": body}


def _with_response_body(response: JsonObject) -> JsonObject:
    given = dict(response)
    if "parsed_body" in given:
        given["body"] = {"string": _json_text(given.pop("parsed_body"))}
    elif isinstance(given.get("body"), dict | list) and not _is_file(given["body"]):
        given["body"] = {"string": _other_body(given["body"])}
    return given


def _is_file(value: Json) -> bool:
    """Whether a body is one of this program's that has a file of its own."""
    return (
        isinstance(value, dict)
        and value.keys() == {"file"}
        and isinstance(value["file"], dict)
        and value["file"].keys() == _FILE
    )


def _other_body(value: Json) -> Json:
    """A body that is not a text; an object with nothing but one of the known keys holds one."""
    if isinstance(value, dict) and len(value) == 1:
        ((name, content),) = value.items()
        if name == "base64_string":
            return {"base64": "".join(content.split())}
        if name in _TEXTS:
            return value if not isinstance(content, dict | list) else _json_text(content)
    return _json_text(value)


def _json_text(value: Json) -> str:
    # as `json.dumps` does, so that recorded lengths are right
    return json.dumps(value)
