"""The search of allow policies: the bindings that meet a query. Source: Discovery document."""

from collections.abc import Sequence

from mockserver.apis.cloudasset.query import query_test
from mockserver.apis.cloudasset.state import check_scope, is_in, of_types, project_of
from mockserver.googleapi import IAM_POLICIES, Call, PageRule, ordered, page
from mockserver.model import JsonObject
from mockserver.state import World

_PAGES = PageRule(default=100, maximum=500)


def search_policies(call: Call) -> JsonObject:
    """Answers `searchAllIamPolicies`: policies with their bindings that meet the query.

    Raises:
        ApiError: 400 for a scope, query or type that cannot be.
    """
    scope = check_scope(call, "scope")
    test = query_test(str(call.params.get("query", "")))
    rows: list[JsonObject] = []
    for given in call.world.table(IAM_POLICIES).rows().values():
        row = _placed(call.world, given)
        if not is_in(call.world, row, scope):
            continue
        bindings = row["policy"].get("bindings", ())
        kept = [each for each in bindings if test is None or test(_searchable(row, each))]
        if kept:
            rows.append({**row, "policy": {**row["policy"], "bindings": kept}})
    found: Sequence[JsonObject] = of_types(rows, call.params.get("assetTypes", ()))
    several, token = page(call, ordered(call, found, "resource"), _PAGES)
    answer: JsonObject = {"results": list(several)} if several else {}
    return {**answer, **({"nextPageToken": token} if token else {})}


def _placed(world: World, row: JsonObject) -> JsonObject:
    """A policy with the project of its resource, where the snapshot does not tell it."""
    if "project" in row or "organization" in row or "folders" in row:
        return row
    resource = str(row["resource"])
    project = project_of(world, resource)
    if project:
        return {**row, "project": project}
    tail = resource.partition(".googleapis.com/")[2]
    kind = tail.partition("/")[0]
    if kind == "organizations":
        return {**row, "organization": tail}
    return {**row, "folders": [tail]} if kind == "folders" else row


def _searchable(row: JsonObject, binding: JsonObject) -> JsonObject:
    """What one binding can be found by."""
    members = binding.get("members", ())
    return {
        "resource": row["resource"],
        "project": row.get("project", ""),
        "policy": {"role": {"name": binding.get("role", "")}, "members": members},
        "roles": [binding.get("role", "")],
        "memberTypes": [str(member).partition(":")[0] for member in members],
    }
