"""The lines of a declaration that would serve an operation of a document."""

from collections.abc import Collection, Iterator, Mapping, Sequence
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


def _paths(declaration: Declaration) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """The paths of the collections that are there.

    Yields:
        Pattern, collection, and what verbs mean there.
    """
    for name in declaration.collections:
        paths = collection_path(declaration, name)
        yield pattern_of(paths.rows), name, words.ON_ROWS
        yield pattern_of(paths.row), name, words.ON_ROW


def _extended(declaration: Declaration, operation: Operation) -> tuple[str, JsonObject]:
    """The collection that has the path of an operation, with one more operation."""
    for pattern, name, meanings in _paths(declaration):
        word, verbs = meanings.get(operation.verb, ""), declaration.collections[name].verbs
        if pattern == pattern_of(operation.path) and word and word not in verbs:
            return name, {"operations": [*verbs, word]}
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
    asked = {(pattern_of(each.path), each.verb): each for each in reversed(documented)}
    rows, one = pattern_of(path), pattern_of(f"{path}/{{key}}")
    named = [each.placeholders[-1] for (pattern, _), each in asked.items() if pattern == one]
    key = words.key_for(named[-1], wanted, row) if named else words.first_of(_KEYS, row)
    around = PLACEHOLDER.findall(path)
    taken = {pattern for pattern, _, _ in _paths(declaration)}
    operations: list[Json] = [
        word
        for pattern, meanings in ((rows, words.ON_ROWS), (one, words.ON_ROW))
        if pattern not in taken
        for verb, word in meanings.items()
        if (pattern, verb) in asked
    ]
    is_one = (words.ON_ROW if inside else words.ON_ROWS).get(operation.verb) in operations
    if not is_one or not key or key in around or len(set(around)) < len(around):
        return "", {}
    name = _free_name(wanted, path, declaration.collections)
    scope = {each: f"{each}_key" for each in around if each in row}
    is_number = isinstance(row[key], int)
    made: JsonObject = {
        "path": path if path != f"/{name}" else None,
        "key": key if key != "id" else None,
        "ids": ("int" if is_number else "hex") if "create" in operations else None,
        "key_type": "integer" if is_number and "create" not in operations else None,
        "operations": operations if len(operations) < 6 else None,
        "scope": scope,
        "hidden_fields": [scope.get(each, each) for each in around],
        "list_in": list_in,
        "create_status": 200 if operation.verb == "POST" and answer.status == 200 else None,
    }
    return name, {setting: each for setting, each in made.items() if each}


def _first_row(payload: Json, collection: str) -> tuple[Json, str]:
    """The first row of a list's answer, and the field that holds the rows."""
    if isinstance(payload, list):
        return next(iter(payload), None), ""
    fields = payload if isinstance(payload, dict) else {}
    lists = {name: each for name, each in fields.items() if isinstance(each, list) and each}
    name = words.field_for(collection, lists) or words.first_of(words.LISTS, lists)
    return (lists[name][0], name) if name else (None, "")


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
