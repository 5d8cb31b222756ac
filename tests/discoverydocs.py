"""Discovery methods for tests, and parameters that their documents take."""

from functools import cache

from mockserver.googleapi import Document, DocumentFolder, Method, load_document
from mockserver.model import JsonObject


@cache
def document(key: str) -> Document:
    name, _, version = key.partition(":")
    entry = DocumentFolder().entry(name, version)
    assert entry is not None, key
    return load_document(entry.path)


def method(key: str, method_id: str) -> Method:
    return document(key).methods[method_id]


def path_params(of: Method, text: str = "x1") -> JsonObject:
    """A value for each path parameter, as its pattern wants it."""
    found: JsonObject = {}
    for name, parameter in of.parameters.items():
        if parameter.location == "path":
            pattern = parameter.pattern.strip("^$").replace("\\", "")
            whole = pattern.replace("[^/]+", text).replace(".*", text)
            plain = not pattern or any(sign in whole for sign in "[](){}|?+*")
            found[name] = text if plain else whole
    return found


def params_from(template: str, path: str) -> JsonObject:
    """The parameters that fill a template to a path."""
    segments, given = template.split("/"), path.split("/")
    found: JsonObject = {}
    for number, segment in enumerate(segments):
        if segment.startswith("{"):
            last = number == len(segments) - 1 and len(segments) == 1
            value = path if last else given[number]
            found[segment.strip("{+}")] = value.replace("%2F", "/") if not last else value
    return found
