"""Writing a plain collection: new rows, changed rows, deleted rows."""

from collections.abc import Sequence

from mockserver.googleapi.call import Call
from mockserver.googleapi.errors import ApiError, bad_fields, duplicate
from mockserver.googleapi.etags import etag
from mockserver.googleapi.resources import Resource, Verb
from mockserver.googleapi.rows import etag_of, find_row, named, parent_asked, row_of, shown
from mockserver.googleapi.scalars import snake
from mockserver.googleapi.updatemasks import (
    EVERYTHING,
    read_update_mask,
    unknown_paths,
    updated,
)
from mockserver.model import JsonObject

_ALWAYS_KEPT = ("name", "etag")


def create_row(resource: Resource, call: Call) -> JsonObject:
    """Answers `create`.

    Raises:
        ApiError: 400 for an id that cannot be or is missing, 409 when the name is taken; what
            `on_create` raises.
    """
    name = _new_name(resource, call)
    if row_of(resource, call.world, name) is not None:
        raise duplicate(resource.exists.format(name=name))
    return _put_new(resource, call, name)


def patch_row(resource: Resource, call: Call) -> JsonObject:
    """Answers `patch`: what the mask names, or what the body holds when there is no mask.

    Raises:
        ApiError: 404; 400 for a mask or an immutable field; 409 for a stale etag.
    """
    return _change(resource, call, "patch", [(name,) for name in call.body])


def update_row(resource: Resource, call: Call) -> JsonObject:
    """Answers `update`: what the mask names, or the whole row when there is no mask.

    Raises:
        ApiError: As `patch_row`.
    """
    return _change(resource, call, "update", [(EVERYTHING,)])


def delete_row(resource: Resource, call: Call) -> JsonObject:
    """Answers `delete`.

    Raises:
        ApiError: 404, unless `allowMissing`; 409 for a stale etag; what `on_delete` raises.
    """
    name = named(resource, call)
    row = row_of(resource, call.world, name)
    if row is None and call.params.get("allowMissing"):
        return {}
    row = find_row(resource, call)
    _check_etag(resource, row, str(call.params.get("etag", "")))
    if resource.on_delete is not None:
        resource.on_delete(call, row)
    call.world.delete(resource.collection, row["name"])
    return {} if resource.reply is None else resource.reply(call, "delete", row)


def _new_name(resource: Resource, call: Call) -> str:
    given = str(call.body.get("name", ""))
    if resource.named_by_body and resource.names.captures(given) is not None:
        return given
    parent = parent_asked(resource, call)
    last = str(call.params.get(resource.id_param, "")) if resource.id_param else ""
    field = snake(resource.id_param or "")
    if not last and resource.id_required:
        raise bad_fields([(field, f"The field '{field}' is required.")])
    if "/" in last or last == "-":
        raise bad_fields([(field, f"Invalid resource id '{last}'.")])
    if not last:
        made = resource.new_id
        last = made(call) if made else call.world.ids.uuid(resource.collection)
    return resource.names.name(parent, last)


def _put_new(resource: Resource, call: Call, name: str) -> JsonObject:
    given = {
        key: value
        for key, value in call.body.items()
        if key not in _ALWAYS_KEPT and key not in resource.output_only
    }
    row: JsonObject = {"name": name, **resource.defaults, **given}
    if resource.on_create is not None:
        row = resource.on_create(call, row)
    return _put(resource, call, "create", row)


def _change(resource: Resource, call: Call, verb: Verb, whole: list[tuple[str, ...]]) -> JsonObject:
    name = named(resource, call)
    before = row_of(resource, call.world, name)
    if before is None and call.params.get("allowMissing"):
        return _put_new(resource, call, name)
    before = find_row(resource, call)
    _check_etag(resource, before, str(call.body.get("etag", "")))
    paths = read_update_mask(str(call.params.get("updateMask", ""))) or whole
    known = (*resource.fields, *_ALWAYS_KEPT, *resource.output_only)
    wrong = unknown_paths(paths, known) if resource.fields else None
    if wrong is not None:
        raise wrong
    keep = (*_ALWAYS_KEPT, *resource.output_only)
    after = updated(before, call.body, paths, (*keep, *resource.immutable))
    _check_immutable(resource, before, call.body, paths)
    if resource.on_change is not None:
        after = resource.on_change(call, before, after)
    return _put(resource, call, verb, after)


def _put(resource: Resource, call: Call, verb: Verb, row: JsonObject) -> JsonObject:
    if resource.etags:
        row = {**row, "etag": etag(row).strip('"')}
    call.world.put(resource.collection, row["name"], row)
    seen = shown(resource, call, row)
    return seen if resource.reply is None else resource.reply(call, verb, seen)


def _check_etag(resource: Resource, row: JsonObject, given: str) -> None:
    if resource.etags and given and given.strip('"') != etag_of(row).strip('"'):
        text = "The etag of the resource does not match: it was changed in the meantime."
        raise ApiError(409, text, reason="aborted", code_name="ABORTED")


def _check_immutable(
    resource: Resource, before: JsonObject, given: JsonObject, paths: Sequence[tuple[str, ...]]
) -> None:
    masked = {path[0] for path in paths}
    wrong = [
        name
        for name in resource.immutable
        if (name in masked or EVERYTHING in masked)
        and name in given
        and given[name] != before.get(name)
    ]
    if wrong:
        text = "The field '{}' is immutable."
        raise bad_fields([(snake(name), text.format(snake(name))) for name in wrong])
