"""Answers of every Discovery method that conventions explain, over whatever a session holds."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial

from mockserver.apis.generic.method_rules import Prefix, rules_of
from mockserver.apis.generic.plans import Plan, Verb, body_field, fill_template, plan_of, properties
from mockserver.apis.generic.rows import find_resource, is_served, item_path, rows_below
from mockserver.apis.generic.selection import row_limit, select_rows
from mockserver.apis.generic.synthesis import not_served
from mockserver.apis.generic.writes import (
    answer_write,
    changed_resource,
    name_resource,
    new_resource,
)
from mockserver.googleapi import (
    Call,
    Handler,
    Method,
    cancel_operation,
    delete_operation,
    duplicate,
    etag,
    get_policy,
    granted_permissions,
    nearest,
    not_found,
    operations_below,
    page,
    poll_operation,
    precondition,
    read_update_mask,
    set_policy,
    update_resource,
)
from mockserver.model import JsonObject

_Rows = Sequence[JsonObject]
_KEPT_FIELDS = ("id", "etag", "selfLink", "kind", "uid", "createTime", "creationTimestamp")


@lru_cache(8192)
def generic_handler(method: Method) -> Handler:
    """The handler of a method that no emulated API has; it raises 501 for what it cannot tell."""
    plan = plan_of(method)
    return partial(_ANSWERS_BY_VERB[plan.verb], plan)


def _list(plan: Plan, call: Call) -> JsonObject:
    ask = rules_of(plan.method).having
    having = ask(call) if ask else None
    rows = rows_below(plan, call.world, fill_template(plan.template, call.params), having)
    if not rows and not is_served(plan, call.world):
        raise not_served(plan, call)
    return _list_page(plan, call, select_rows(plan, call, rows))


def _list_page(plan: Plan, call: Call, rows: _Rows) -> JsonObject:
    """A list's answer: its kind, a page of rows, the token of the next."""
    answer: JsonObject = {}
    kind = properties(plan.method.document, plan.method.response).get("kind", {}).get("default")
    if kind:
        answer["kind"] = kind
    token = ""
    if plan.page is not None:
        rows, token = page(call, rows, plan.page)
    else:
        rows = rows[: row_limit(plan, call)]
    items = [row for row in rows if not isinstance(row, Prefix)]
    if items:
        answer[plan.list_key] = items
    if len(items) < len(rows):
        answer["prefixes"] = [row["name"] for row in rows if isinstance(row, Prefix)]
    if token:
        answer["nextPageToken"] = token
    return answer


def _get(plan: Plan, call: Call) -> JsonObject:
    return _require_resource(plan, call)[1]


def _require_resource(plan: Plan, call: Call) -> tuple[str, JsonObject]:
    path = item_path(plan, call)
    found = find_resource(plan, call.world, path)
    if found is None:
        if not is_served(plan, call.world):
            raise not_served(plan, call)
        raise not_found(name=path, nearest=nearest(path, call.world.table(plan.table).rows()))
    return found


def _create(plan: Plan, call: Call) -> JsonObject | None:
    path, given = name_resource(plan, call, _resource_of_body(plan, call))
    if find_resource(plan, call.world, path) is not None:
        raise duplicate("Requested entity already exists")
    row = new_resource(plan, call, path, given)
    if not call.params.get("validateOnly"):
        call.world.put(plan.table, path, row)
    return answer_write(plan, call, path, row)


def _resource_of_body(plan: Plan, call: Call) -> JsonObject:
    """The resource that a request's body holds."""
    name = body_field(plan)
    if name:
        inner = call.body.get(name)
        return inner if isinstance(inner, dict) else {}
    return dict(call.body)


def _change(plan: Plan, call: Call) -> JsonObject | None:
    given = _resource_of_body(plan, call)
    path = item_path(plan, call)
    if find_resource(plan, call.world, path) is None and call.params.get("allowMissing"):
        return _put_new(plan, call, path, given)
    key, before = _require_resource(plan, call)
    _check_etag(given, before)
    mask = str(call.params.get("updateMask") or call.body.get("updateMask") or "")
    whole = [("*",)] if plan.verb == "update" else [(name,) for name in given]
    told = [place[0] for place in plan.id_fields if place]
    kept = [*_KEPT_FIELDS, *told, *(["name"] if plan.named else ())]
    after = update_resource(before, given, read_update_mask(mask) or whole, kept)
    after = changed_resource(
        plan, call, {name: value for name, value in after.items() if value is not None}
    )
    if not call.params.get("validateOnly"):
        call.world.put(plan.table, key, after)
    return answer_write(plan, call, path, after)


def _put_new(plan: Plan, call: Call, path: str, given: JsonObject) -> JsonObject | None:
    row = new_resource(plan, call, path, given)
    call.world.put(plan.table, path, row)
    return answer_write(plan, call, path, row)


def _check_etag(given: JsonObject, before: JsonObject) -> None:
    tag = given.get("etag")
    if tag and tag not in {before.get("etag", tag), etag(before)}:
        raise precondition("Precondition Failed")


def _delete(plan: Plan, call: Call) -> JsonObject | None:
    key, _ = _require_resource(plan, call)
    if not call.params.get("validateOnly"):
        call.world.delete(plan.table, key)
    return answer_write(plan, call, item_path(plan, call), None)


def _poll_operation(plan: Plan, call: Call) -> JsonObject:
    return poll_operation(call, fill_template(plan.template, call.params).removesuffix("/wait"))


def _list_operations(plan: Plan, call: Call) -> JsonObject:
    parent = fill_template(plan.template, call.params).removesuffix("operations").removesuffix("/")
    rows: _Rows = operations_below(call.world, parent)
    return _list_page(plan, call, select_rows(plan, call, rows))


def _delete_operation(plan: Plan, call: Call) -> JsonObject | None:
    call.params["name"] = fill_template(plan.template, call.params)
    delete_operation(call)
    return None if plan.method.response is None else {}


def _cancel_operation(plan: Plan, call: Call) -> JsonObject:
    call.params["name"] = fill_template(plan.template, call.params)
    return cancel_operation(call)


def _full_name(plan: Plan, call: Call) -> str:
    path = fill_template(plan.template, call.params)
    for end in (
        "/testPermissions",
        "/testIamPermissions",
        "/getIamPolicy",
        "/setIamPolicy",
        "/iam",
    ):
        path = path.removesuffix(end)
    return f"//{plan.method.document.host}/{path}"


def _get_policy(plan: Plan, call: Call) -> JsonObject:
    return get_policy(call, _full_name(plan, call))


def _set_policy(plan: Plan, call: Call) -> JsonObject:
    if "policy" not in call.body:
        call.body = {"policy": call.body}
    return set_policy(call, _full_name(plan, call))


def _test_permissions(plan: Plan, call: Call) -> JsonObject:
    if "permissions" in call.params:
        asked = call.params["permissions"]
        return {"permissions": asked if isinstance(asked, list) else [asked]}
    return granted_permissions(call)


def _refuse_custom(plan: Plan, call: Call) -> JsonObject:
    raise not_served(plan, call)


_ANSWERS_BY_VERB: Mapping[Verb, Callable[[Plan, Call], JsonObject | None]] = {
    "list": _list,
    "get": _get,
    "create": _create,
    "patch": _change,
    "update": _change,
    "delete": _delete,
    "poll": _poll_operation,
    "operations": _list_operations,
    "forget": _delete_operation,
    "cancel": _cancel_operation,
    "get_policy": _get_policy,
    "set_policy": _set_policy,
    "permissions": _test_permissions,
    "custom": _refuse_custom,
}
