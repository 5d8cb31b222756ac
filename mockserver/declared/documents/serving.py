"""The lines of a declaration that would serve an operation of a document."""

from collections.abc import Collection, Sequence
from typing import Any

import yaml
from typing_extensions import override

from mockserver.declared.calls import Answer
from mockserver.declared.declaration import PLACEHOLDER, Declaration
from mockserver.declared.documents import words
from mockserver.declared.documents.document import pattern_of
from mockserver.declared.operations import collection_path
from mockserver.declared.routes import Operation
from mockserver.model import Json, JsonObject

_ON_ROWS = {"GET": "list", "POST": "create"}
_ON_ROW = {"GET": "get", "PUT": "replace", "PATCH": "patch", "DELETE": "delete"}
_KEYS = ("id", "uuid", "sid", "gid")
_WIDTH = 100
_MOST_FIELDS = 6
_DEEPEST = 2
_LONGEST = 80


class _Dumper(yaml.CSafeDumper):
    @override
    def ignore_aliases(self, data: Any) -> bool:
        return True


def yaml_lines(key: str, value: Json) -> list[str]:
    """The lines of one key of a declaration."""
    text = yaml.dump(
        {key: value},
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=_WIDTH,
        default_flow_style=None if isinstance(value, dict | list) else False,
    )
    return str(text).rstrip("\n").split("\n")


def serving_lines(
    declaration: Declaration, operation: Operation, answer: Answer, documented: Sequence[Operation]
) -> list[str]:
    """What to write into a declaration so that an operation of its document is served.

    Args:
        declaration: The declaration.
        operation: The operation.
        answer: What the document says that it answers.
        documented: All operations of the document.

    Returns:
        YAML: further operations of a collection that has the path, else a collection where rows
        can be told from the answer, else a stub.
    """
    name, collection = _extended(declaration, operation)
    if not collection:
        name, collection = _new_collection(declaration, operation, answer, documented)
    if collection:
        return yaml_lines("collections", {name: collection})
    return yaml_lines("stubs", [_stub(operation, answer)])


def _extended(declaration: Declaration, operation: Operation) -> tuple[str, JsonObject]:
    """The collection that has the path of an operation, with one more operation."""
    pattern = pattern_of(operation.path)
    for name, collection in declaration.collections.items():
        paths = collection_path(declaration, name)
        for path, words_by_verb in ((paths.rows, _ON_ROWS), (paths.row, _ON_ROW)):
            word = words_by_verb.get(operation.verb, "")
            if pattern_of(path) == pattern and word and word not in collection.verbs:
                return name, {"operations": [*collection.verbs, word]}
    return "", {}


def _new_collection(
    declaration: Declaration, operation: Operation, answer: Answer, documented: Sequence[Operation]
) -> tuple[str, JsonObject]:
    """A collection of its own, where the answer shows its rows; else nothing."""
    before, _, last = operation.path.rpartition("/")
    inside = PLACEHOLDER.fullmatch(last)
    path = before if inside else operation.path
    segment = path.rpartition("/")[2]
    if not segment or PLACEHOLDER.search(segment):
        return "", {}
    wanted = words.collection_name(segment)
    row, list_in = answer.payload, ""
    if operation.verb == "GET" and not inside:
        row, list_in = _first_row(answer.payload, wanted)
    if not isinstance(row, dict):
        return "", {}
    pattern = pattern_of(f"{path}/{{key}}")
    named = (each.placeholders[-1] for each in documented if pattern_of(each.path) == pattern)
    placeholder = next(named, "")
    key = words.key_for(placeholder, wanted, row) if placeholder else words.first_of(_KEYS, row)
    around = PLACEHOLDER.findall(path)
    operations = _operations_at(declaration, path, documented)
    is_one = (_ON_ROW if inside else _ON_ROWS).get(operation.verb) in operations
    if not is_one or not key or key in around or len(set(around)) < len(around):
        return "", {}
    name = _free_name(wanted, path, declaration.collections)
    scope = {each: f"{each}_key" for each in around if each in row}
    is_number = isinstance(row[key], int)
    made: JsonObject = {"path": path} if path != f"/{name}" else {}
    made |= {"key": key} if key != "id" else {}
    if "create" in operations:
        made["ids"] = "int" if is_number else "hex"
    elif is_number:
        made["key_type"] = "integer"
    made |= {"operations": operations} if len(operations) < len(_ON_ROWS) + len(_ON_ROW) else {}
    made |= {"scope": scope} if scope else {}
    made |= {"hidden_fields": [scope.get(each, each) for each in around]} if around else {}
    made |= {"list_in": list_in} if list_in else {}
    if operation.verb == "POST" and answer.status == 200:
        made["create_status"] = 200
    return name, made


def _first_row(payload: Json, collection: str) -> tuple[Json, str]:
    """The first row of a list's answer, and the field that holds the rows."""
    if isinstance(payload, list):
        return next(iter(payload), None), ""
    fields = payload if isinstance(payload, dict) else {}
    lists = {name: each for name, each in fields.items() if isinstance(each, list) and each}
    name = words.field_for(collection, lists) or words.first_of(words.LISTS, lists)
    return (lists[name][0], name) if name else (None, "")


def _operations_at(
    declaration: Declaration, path: str, documented: Sequence[Operation]
) -> list[Json]:
    """What a collection at a path can be asked by the document, and no other one answers."""
    taken = {
        pattern_of(each)
        for name in declaration.collections
        for paths in (collection_path(declaration, name),)
        for each in (paths.rows, paths.row)
    }
    rows, row = pattern_of(path), pattern_of(f"{path}/{{key}}")
    tables = {rows: _ON_ROWS, row: _ON_ROW}
    found = [(pattern_of(each.path), each.verb) for each in documented]
    return [
        word
        for pattern, table in tables.items()
        if pattern not in taken
        for verb, word in table.items()
        if (pattern, verb) in found
    ]


def _free_name(wanted: str, path: str, taken: Collection[str]) -> str:
    """A name that no collection has, made of the words of the path."""
    if wanted not in taken:
        return wanted
    whole = "-".join(each for each in path.split("/") if each and "{" not in each)
    name = words.collection_name(whole)
    while name in taken:
        name = f"{name[:60]}-2"
    return name


def _stub(operation: Operation, answer: Answer) -> JsonObject:
    stub: JsonObject = {"route": f"{operation.verb} {operation.path}"}
    if answer.status != 200:
        stub["status"] = answer.status
    if answer.content is not None:
        stub["headers"] = {"Content-Type": answer.content_type}
        stub["body"] = answer.content.decode("utf-8", "replace")[:_LONGEST]
    elif answer.payload is not None:
        stub["body"] = _shortened(answer.payload, 0)
    if "{{" in str(stub.get("body")) or "{%" in str(stub.get("body")):
        stub["template"] = False
    return stub


def _shortened(value: Json, depth: int) -> Json:
    """An example that a person can read: its first fields, the first item of each list."""
    if isinstance(value, str):
        return value[:_LONGEST]
    if isinstance(value, list):
        return [_shortened(value[0], depth)] if value else []
    if isinstance(value, dict):
        plain = value if depth < _DEEPEST else {
            name: each for name, each in value.items() if not isinstance(each, dict | list)
        }  # fmt: skip
        return {name: _shortened(plain[name], depth + 1) for name in [*plain][:_MOST_FIELDS]}
    return value
