"""Resources of any Discovery API, as a snapshot holds them: by document and collection."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from mockserver.apis.generic.collections import SERVED_DOCUMENTS
from mockserver.apis.generic.plans import (
    ANY,
    Plan,
    fill_template,
    may_equal,
    path_of_link,
    placeholders,
    plan_of,
    shared_key,
)
from mockserver.collections.places import value_at
from mockserver.errors import Problem
from mockserver.googleapi import (
    OPERATION_POLLS,
    OPERATION_SECONDS,
    Document,
    SnapshotImport,
    add_row,
    installed_documents,
    json_kind,
    nearest,
)
from mockserver.googleapi.facts import Facts
from mockserver.googleapi.raw_snapshot import FACTS
from mockserver.model import Json, JsonObject
from mockserver.state import parse_rfc3339

_PLACING_VERBS = ("list", "get", "create")
_READER_VERBS = frozenset({"list", "get", "patch", "update", "delete"})
_FILES = "drive:v3/files"
_FILES_OF = {
    "docs:v1/documents": ("documentId", ("title",)),
    "sheets:v4/spreadsheets": ("spreadsheetId", ("properties", "title")),
    "slides:v1/presentations": ("presentationId", ("title",)),
    "forms:v1/forms": ("formId", ("info", "documentTitle")),
}
"""Tables whose rows are files of Drive, with the places of their ids and their names."""
_HINT = 'such as {"drive:v3": {"files": [...]}}'


@dataclass(frozen=True)
class CollectionMeaning:
    """What a snapshot means by one collection of its `resources`.

    Attributes:
        document: The Discovery document.
        schema: Name of the schema of its resources, or an empty string.
        told: Names of path parameters, which a resource may have beside its own fields.
        table: The table that it becomes, `drive:v3/files`.
        readers: Ids of the methods that meet its resources: list, get, change or delete them.
    """

    document: Document
    schema: str
    path_parameters: frozenset[str]
    table: str
    readers: tuple[str, ...]


@cache
def find_collection(key: str, name: str) -> CollectionMeaning | None:
    """What `resources[key][name]` is; None where there is no such document or collection."""
    document = _load_document(key)
    plan = None if document is None else _find_plan(_collection_plans(document), name)[0]
    if document is None or plan is None:
        return None
    every = (plan_of(method) for method in document.methods.values())
    same = [each for each in every if each.table == plan.table]
    return CollectionMeaning(
        document=document,
        schema=plan.item,
        path_parameters=frozenset(name for each in same for name in placeholders(each.template)),
        table=plan.table,
        readers=tuple(each.method.id for each in same if each.verb in _READER_VERBS),
    )


def collections_of(document: Document) -> dict[str, tuple[str, frozenset[str]]]:
    """The collections that `resources` may hold of a document.

    Returns:
        Name to the name of its resources' schema, and to the path parameters that they may tell.
    """
    key = f"{document.name}:{document.version}"
    names = sorted({plan.collection for plan in _collection_plans(document)})
    kept = {name: find_collection(key, name) for name in names}
    return {
        name: (one.schema, one.path_parameters) for name, one in kept.items() if one is not None
    }


def import_snapshot(found: SnapshotImport) -> None:
    """Make a table of each collection, `drive:v3/files`, by the paths of its resources."""
    _import_operations(found)
    _import_facts(found)
    given = found.raw.get(SERVED_DOCUMENTS)
    if given is None:
        return
    if not isinstance(given, dict):
        text = f"expected an object {_HINT}, found {json_kind(given)}"
        found.problems.append(Problem(f"/{SERVED_DOCUMENTS}", text))
        return
    found.tables[SERVED_DOCUMENTS] = {}
    for key, collections in given.items():
        pointer = f"/{SERVED_DOCUMENTS}/{key}"
        document = _find_document(found, pointer, key)
        if document is not None and not isinstance(collections, dict):
            text = f"expected an object, found {json_kind(collections)}"
            found.problems.append(Problem(pointer, text))
        elif document is not None:
            served = found.tables[SERVED_DOCUMENTS]
            known = served.get(shared_key(key), {}).get("collections", ())
            served[shared_key(key)] = {"collections": sorted({*known, *collections})}
            for name, rows in collections.items():
                _import_collection(found, f"{pointer}/{name}", document, name, rows)
    _add_files(found)


def _add_files(found: SnapshotImport) -> None:
    """Make files of Drive of documents and spreadsheets that are none: Drive lists them, too."""
    files = found.tables.get(_FILES, {})
    known = {str(row.get("id")) for row in files.values()}
    for table, (field, title) in _FILES_OF.items():
        kind = f"application/vnd.google-apps.{table.rpartition('/')[2].removesuffix('s')}"
        for key, row in found.tables.get(table, {}).items():
            ident = str(row.get(field) or key.rpartition("/")[2])
            if ident not in known:
                name = value_at(row, title) or "Untitled"
                made = {"kind": "drive#file", "id": ident, "name": name, "mimeType": kind}
                files[f"files/{ident}"] = made
    if files:
        found.tables[_FILES] = files


def _import_facts(found: SnapshotImport) -> None:
    given = found.raw.get(FACTS, {})
    if not isinstance(given, dict):
        text = f"expected an object by the names of APIs, found {json_kind(given)}"
        found.problems.append(Problem(f"/{FACTS}", text))
        return
    for api, facts in given.items():
        try:
            Facts(facts)
        except (ValueError, TypeError, AttributeError) as error:
            text = f"these are no facts as `understudy learn` writes them: {error}"
            found.problems.append(Problem(f"/{FACTS}/{api}", text))
    if given:
        found.tables[FACTS] = {**given}


def _import_operations(found: SnapshotImport) -> None:
    for name in (OPERATION_POLLS, OPERATION_SECONDS):
        count = found.raw.get(name)
        if count is None:
            continue
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            text = f"expected a whole number, 0 or more, found {json_kind(count)}"
            found.problems.append(Problem(f"/{name}", text))
        else:
            found.tables[name] = {name: {"count": count}}


def _find_document(found: SnapshotImport, pointer: str, key: str) -> Document | None:
    document = _load_document(key)
    if document is None:
        near = nearest(key, _known_documents())
        hint = f"did you mean {near!r}?" if near else _HINT
        found.problems.append(Problem(pointer, f"no Discovery document {key!r}", hint))
    return document


@cache
def _load_document(key: str) -> Document | None:
    name, _, version = key.partition(":")
    entry = installed_documents().entry(name, version)
    return installed_documents().load(entry.path) if entry else None


@cache
def _known_documents() -> tuple[str, ...]:
    return tuple(f"{entry.name}:{entry.version}" for entry in installed_documents().entries)


def _import_collection(
    found: SnapshotImport, pointer: str, document: Document, name: str, rows: Json
) -> None:
    if not isinstance(rows, list):
        found.problems.append(Problem(pointer, f"expected an array, found {json_kind(rows)}"))
        return
    plans = _collection_plans(document)
    plan, parent = _find_plan(plans, name)
    if plan is None:
        names = sorted({each.collection for each in plans})
        above, slash, last = name.rpartition("/")
        near = nearest(last, names)
        hint = (
            f"did you mean {above + slash + near!r}?" if near else f"known: {', '.join(names[:20])}"
        )
        found.problems.append(Problem(pointer, f"no collection {name!r} in {document.title}", hint))
        return
    table = found.tables.setdefault(plan.table, {})
    for number, row in enumerate(rows):
        place = f"{pointer}/{number}"
        if not isinstance(row, dict):
            found.problems.append(Problem(place, f"expected an object, found {json_kind(row)}"))
            continue
        key = _resource_path(plan, parent, row, number)
        add_row(found, table, key, row, pointer=place, noun=name)
    times = {path for row in table.values() for path in _time_paths(row)}
    found.times[plan.table] = tuple(sorted(times))


@cache
def _collection_plans(document: Document) -> tuple[Plan, ...]:
    every = (plan_of(method) for method in document.methods.values())
    found = [plan for plan in every if plan.verb in _PLACING_VERBS]
    return tuple(sorted(found, key=lambda plan: _PLACING_VERBS.index(plan.verb)))


def _find_plan(plans: tuple[Plan, ...], name: str) -> tuple[Plan | None, str]:
    """The collection of this name, or at this path; and the path, when it is one."""
    for plan in plans:
        if plan.collection == name:
            return plan, ""
    for plan in plans:
        if plan.verb == "list" and not plan.named:
            template = fill_template(plan.template, dict.fromkeys(placeholders(plan.template), ANY))
            if "/" in name and may_equal(name, template):
                return plan, name
    return None, ""


def _resource_path(plan: Plan, parent: str, row: JsonObject, number: int) -> str:
    """The path where a resource is read, made of its own fields."""
    name = row.get("name")
    if not parent and plan.named and isinstance(name, str) and "/" in name:
        return name
    link = row.get("selfLink")
    path = path_of_link(link) if isinstance(link, str) and not parent else ""
    if path:
        return path
    last = "/".join(_row_ids(plan, row, number))
    template = plan.template
    if plan.verb == "get":
        template = template.rpartition("/{")[0] or template
    names = placeholders(template)
    # a name that begins a path is told by names alone, which the resource would have
    whole = names[:1] if plan.named and template.startswith("{+") else ()
    above = parent or fill_template(
        template, {**path_parameters_of(row, names), **dict.fromkeys(whole, ANY)}
    )
    return f"{above}/{last}"


def path_parameters_of(row: JsonObject, names: Sequence[str]) -> dict[str, str]:
    """The parameters of a row's path, as far as its fields have them; `-` for the others."""
    references = [each for name, each in row.items() if name.endswith("Reference")]
    known = {
        name: each for one in references if isinstance(one, dict) for name, each in one.items()
    }
    found = {}
    for name in names:
        value = row.get(name, known.get(name))
        text = str(value).rstrip("/").rpartition("/")[2] if isinstance(value, str | int) else ""
        found[name] = text or ANY
    return found


def _row_ids(plan: Plan, row: JsonObject, number: int) -> Iterator[str]:
    for place in plan.id_fields:
        value = value_at(row, place) if place else None
        if value is None:
            value = row.get("id") or row.get("name") or number
        yield str(value).replace("/", "%2F")


def _time_paths(value: Json, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of everything in a resource that is a time.

    Yields:
        Field by field; `*` is every item.
    """
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _time_paths(inner, (*above, name))
    elif isinstance(value, list):
        for inner in value:
            yield from _time_paths(inner, (*above, "*"))
    elif isinstance(value, str) and "T" in value and above:
        try:
            parse_rfc3339(value)
        except ValueError:
            return
        yield above
