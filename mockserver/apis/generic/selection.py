"""What the parameters of lists select: honoured by a rule, or refused; never ignored.

A rule is found by the method, then by the parameter's name, then by the field of the rows that it
names: the field itself, a list of its values (`states`), its beginning (`namePrefix`), a bound of
its time (`updatedMin`, `minCreateTime`, `createTimeRange.startTime`). What has no rule is refused
with 501, unless it asks for what is the case anyway. Whether bounds belong to a window is not told
by most documents; upper ones of a range or of `before` do not, others do.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import product

from mockserver.apis.generic.method_rules import rules_of
from mockserver.apis.generic.parameter_rules import (
    among_ids,
    below_parent,
    by_filter,
    by_order,
    equal_to,
    has_mark_field,
    hide_marked,
    in_window,
    of_tenant,
    starting_with,
    with_labels,
    with_pattern,
)
from mockserver.apis.generic.plans import Plan, properties
from mockserver.apis.generic.synthesis import literal_snippet
from mockserver.collections.query import LazySequence
from mockserver.collections.selections import Selection
from mockserver.googleapi import Call, Method, Parameter, invalid, not_honoured
from mockserver.googleapi.list_rules import (
    ListCall,
    Order,
    RowRule,
    Rows,
    SentParameter,
    UnservedError,
)
from mockserver.model import Json, JsonMapping, JsonObject

SHAPING = frozenset({
    # pages
    "pageToken", "pageSize", "maxResults", "max-results", "limit",
    "returnPartialSuccess", "extraLocationTypes", "requireTotalSize", "requestSyncToken",
    # which fields of a row are shown, and how
    "view", "views", "responseView", "versionView", "jobView", "intentView", "projection", "part",
    "readMask", "fieldMask", "personFields", "groupFields", "requestMask.includeField", "fields",
    "fetchBodies", "fetchImages", "accessLevelFormat", "schemaAsString", "returnValues",
    "maxAttendees", "alwaysIncludeEmail", "includePermissionsForView", "includeLabels",
    "includeGoogleTags", "includeJobsCount", "includeMetaData", "latestStatsCount",
    "truncateParams",
    "snapshotMetadataWithoutParams", "profileImageSize", "maxHeight", "maxWidth", "stripResults",
    # in which words
    "hl", "language", "languageCode", "locale", "timeZone",
    "requestOptions.languageCode", "requestOptions.timeZone",
    # who asks, who pays, and how often
    "userProject", "useAdminAccess", "useDomainAdminAccess", "supportsAllDrives",
    "supportsTeamDrives", "onBehalfOf", "onBehalfOfContentOwner", "onBehalfOfContentOwnerChannel",
    "customerAuthToken", "requestId", "allowMissing", "debugOptions.enableDebugging",
    "requestOptions.debugOptions.enableDebugging", "executionConfig.headers", "refreshAcl",
    "allUsers",
    # documented as not used
    "resourceVersion", "includeUninitialized",
})  # fmt: skip
"""Query parameters of lists that do not select rows; journalled as ignored, except for pages."""

TENANTS = frozenset({"project", "projectId", "customer"})
"""Parameters that name the one project or customer that a snapshot is of; told as ignored where
rows do not have them."""

_PAGING = frozenset({"pageToken", "pageSize", "maxResults", "limit", "max-results", "fields"})
_ORDERS = frozenset({"orderBy", "sortField", "sortBy", "order"})
_RULES_BY_NAME: Mapping[str, RowRule] = {
    "filter": by_filter,
    "orderBy": by_order,
    "sortField": by_order,
    "sortBy": by_order,
    "id": among_ids,
    "ids": among_ids,
    "parent": below_parent,
    "labelSelector": with_labels,
}
_HIDING_MARKS = {
    "showDeleted": "deleted",
    "includeDeleted": "deleted",
    "showHidden": "hidden",
}
_TIMES = frozenset({"date", "date-time", "google-datetime", "int64", "uint64", ""})
_HOLDERS = ("snippet",)
_WINDOWS = (
    (re.compile(r"^(?P<stem>\w+?)Min$"), ">="),
    (re.compile(r"^(?P<stem>\w+?)Max$"), "<="),
    (re.compile(r"^min(?P<stem>[A-Z]\w*?(?:Time|Date))$"), ">="),
    (re.compile(r"^max(?P<stem>[A-Z]\w*?(?:Time|Date))$"), "<="),
    (re.compile(r"^(?P<stem>\w+?)(?:AtOrAfter|OrAfter)$"), ">="),
    (re.compile(r"^(?P<stem>\w+?)After$"), ">"),
    (re.compile(r"^(?P<stem>\w+?)Before$"), "<"),
    (re.compile(r"^start(?P<stem>[A-Z]\w*Time)$"), ">="),
    (re.compile(r"^(?P<stem>\w+?)(?:Date)?Start$"), ">="),
    (re.compile(r"^(?P<stem>\w+?)(?:Date)?End$"), "<="),
    (re.compile(r"^(?P<stem>\w+?)Range\.startTime$"), ">="),
    (re.compile(r"^(?P<stem>\w+?)Range\.endTime$"), "<"),
)
_PREFIXES = re.compile(r"^(?P<stem>\w+?)(?:Prefix|StartsWith)$")


def list_query(plan: Plan, asked: ListCall) -> tuple[Sequence[Selection], Order]:
    """What selects the rows that a list asks for, and their order.

    Raises:
        ApiError: 400 for what cannot be read, 501 for what no rule honours.
    """
    rules, call = rules_of(plan.method), asked.call
    found: list[Selection] = []
    order: Order = ()
    for name, parameter in plan.method.parameters.items():
        if parameter.location != "query" or name in rules.together:
            continue
        value = call.params.get(name)
        if not selects(plan, name):
            if value is not None and name not in _PAGING:
                call.ignored.append(name)
            continue
        sent = SentParameter(
            call,
            asked.table,
            asked.timed,
            (*asked.within, *found),
            method=plan.method,
            name=name,
            value=value,
        )
        means = _apply_parameter(plan, sent, parameter)
        if isinstance(means, tuple):
            order = (*means, *order)
        elif means is not None:
            found.append(means)
    return [*found, *(rules.select(asked) if rules.select else ())], order or rules.order


def arrange_rows(plan: Plan, call: Call, rows: Rows) -> Rows:
    """What a list shows of the rows that are selected.

    Raises:
        ApiError: 400 for what cannot be read, 501 for what the rows do not tell.
    """
    arrange = rules_of(plan.method).arrange
    if arrange is None:
        return rows
    with _refusals(plan, call):
        found = arrange(call, rows)
    return found if isinstance(found, Sequence) else LazySequence(_each(plan, call, found))


def _each(plan: Plan, call: Call, found: Iterable[JsonObject]) -> Iterator[JsonObject]:
    with _refusals(plan, call):
        yield from found


@contextmanager
def _refusals(plan: Plan, call: Call) -> Iterator[None]:
    """Refuse, with 501, what rows do not tell."""
    try:
        yield
    except UnservedError as error:
        raise not_honoured(plan.method.id, str(error), literal_snippet(plan, call)) from error


def selects(plan: Plan, name: str) -> bool:
    """Whether a parameter of a list selects rows."""
    if name in TENANTS:
        return name in properties(plan.method.document, plan.item)
    return name not in SHAPING


def _apply_parameter(
    plan: Plan, sent: SentParameter, parameter: Parameter
) -> Selection | Order | None:
    """What one parameter selects, or how it orders."""
    name, value = sent.name, sent.value
    rule = rule_of(plan, name)
    if rule is None:
        if value is None or _is_default(parameter, value):
            return None
        why = f"what {name!r} selects is not told by its document"
        raise not_honoured(plan.method.id, why, literal_snippet(plan, sent.call))
    if not _is_applied(value, unasked=_applies_unsent(plan.method, name)):
        return None
    several = value if isinstance(value, list) else [] if value is None else [value]
    odd = [each for each in several if parameter.enum and each not in parameter.enum]
    if odd:
        raise invalid(f"Invalid value '{odd[0]}' for {name}.", location=name)
    try:
        return rule(sent)
    except UnservedError as error:
        why = f"{name!r} cannot be honoured: {error}"
        raise not_honoured(plan.method.id, why, literal_snippet(plan, sent.call)) from error


def _is_applied(value: Json, *, unasked: bool) -> bool:
    if unasked:
        return True
    if value is None or value in ("", []):
        return False
    return not _is_unspecified(value)


def _applies_unsent(method: Method, name: str) -> bool:
    """Whether a rule leaves rows out when its parameter is not sent."""
    rules = rules_of(method)
    return name in rules.unsent or (name in _HIDING_MARKS and name not in rules.rules)


def _is_unspecified(value: Json) -> bool:
    return str(value).upper().endswith("_UNSPECIFIED")


def _is_default(parameter: Parameter, value: Json) -> bool:
    """Whether a value asks for nothing: it is the default, false or empty."""
    if value in ("", []) or _is_unspecified(value):
        return True
    usual = parameter.default if parameter.default is not None else "false"
    return str(value).lower() == usual.lower()


@lru_cache(8192)
def rule_of(plan: Plan, name: str) -> RowRule | None:
    """The rule of a parameter; None where its meaning is unknown."""
    special = rules_of(plan.method).rules
    if name in special:
        return special[name]
    if name in _HIDING_MARKS:
        return (
            hide_marked(of=_HIDING_MARKS[name])
            if has_mark_field(plan, _HIDING_MARKS[name])
            else None
        )
    if name == "sortOrder":
        return _check_order_direction if plan.method.parameters.keys() & _ORDERS else None
    return _named_rule(plan, name) or _field_rule(plan, name)


def _named_rule(plan: Plan, name: str) -> RowRule | None:
    """The rule of a parameter that means the same everywhere."""
    if plan.verb == "operations" and name == "name":
        return _below_name
    if name == "searchString":
        return with_pattern("name", "id") if plan.method.api == "dfareporting" else None
    if name == "filter" and plan.method.parameters[name].enum:
        return None
    return of_tenant if name in TENANTS else _RULES_BY_NAME.get(name)


def _below_name(sent: SentParameter) -> Selection:
    return sent.field("name").starting(sent.table, f"{sent.value}/")


def _check_order_direction(sent: SentParameter) -> None:
    """The order itself is the rule of another parameter.

    Raises:
        UnservedError: None is sent.
    """
    if not _ORDERS & sent.call.params.keys() and not str(sent.value).upper().startswith("ASC"):
        raise UnservedError("there is no order to turn")


def _field_rule(plan: Plan, name: str) -> RowRule | None:
    """The rule of a parameter that names a field of the rows."""
    found = _find_field(plan, name)
    if found is not None:
        path, spec = found
        is_time = spec.get("format") in {"date-time", "google-datetime"} or name.endswith("Time")
        return None if is_time else equal_to(path, spec)
    prefix = _PREFIXES.match(name)
    stem = "name" if name == "prefix" else prefix["stem"] if prefix else ""
    if stem and (found := _find_field(plan, stem)) is not None:
        return starting_with(found[0])
    return _time_rule(plan, name)


def _time_rule(plan: Plan, name: str) -> RowRule | None:
    for pattern, bound in _WINDOWS:
        match = pattern.match(name)
        if match is None:
            continue
        stem = match["stem"][0].lower() + match["stem"][1:]
        for ending in ("", "Time", "Date", "Timestamp"):
            found = _find_field(plan, f"{stem}{ending}", plural=False)
            if found is not None and found[1].get("format", "") in _TIMES:
                return in_window(found[0], bound)
        short = stem.removesuffix("d")
        found = _find_field(plan, f"{short}Time", plural=False)
        if found is not None:
            return in_window(found[0], bound)
    return None


def _find_field(plan: Plan, name: str, *, plural: bool = True) -> tuple[str, JsonMapping] | None:
    """Where rows have a plain value, or a list of such, with a parameter's name."""
    document = plan.method.document
    known = properties(document, plan.item)
    holders = ["", *_HOLDERS, *(each for each in known if each.endswith("Reference"))]
    for spelling, holder in product(_spellings(name) if plural else (name,), holders):
        fields = properties(document, known.get(holder, {}).get("$ref")) if holder else known
        spec = fields.get(spelling)
        if spec is not None and _is_plain(spec):
            return f"{holder}.{spelling}".lstrip("."), spec
    return None


def _is_plain(spec: JsonMapping) -> bool:
    inner = spec["items"] if spec.get("type") == "array" else spec
    return inner.get("type") in {"string", "integer", "boolean", "number"}


def _spellings(name: str) -> tuple[str, ...]:
    """A name, and what one of several is called: `states`, `statuses`, `categories`."""
    found = [name]
    if name.endswith("ies"):
        found.append(f"{name[:-3]}y")
    if name.endswith("ses"):
        found.append(name[:-2])
    if name.endswith("s") and not name.endswith("ss"):
        found.append(name[:-1])
    return tuple(found)
