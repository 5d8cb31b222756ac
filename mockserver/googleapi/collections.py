"""Collections: declared as data, and served by the six standard methods."""

from binascii import b2a_base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from hashlib import sha256
from typing import Literal, cast

import orjson

from mockserver.collections import BY_KEY, LAST, Index, Store
from mockserver.collections.query import Query, Rows
from mockserver.collections.selections import AllOf, ByIndex, Selection
from mockserver.googleapi.call import Call, Handler
from mockserver.googleapi.errors import (
    MISSING,
    ApiError,
    bad_fields,
    duplicate,
    failed_precondition,
    invalid,
    not_found,
)
from mockserver.googleapi.facts import known_facts
from mockserver.googleapi.list_rules import ListCall, Order, field_of, sort_keys
from mockserver.googleapi.lists import PageRule, list_answer, page
from mockserver.googleapi.masks import EVERY, read_update_mask, unknown_paths, update_resource
from mockserver.googleapi.names import (
    WILDCARD,
    NamePattern,
    is_under,
    name_pattern,
    nearest,
    parent_of,
)
from mockserver.googleapi.scalars import snake_case
from mockserver.model import Json, JsonMapping, JsonObject
from mockserver.state import World, project_names, rfc3339

_URL_SAFE = bytes.maketrans(b"+/", b"-_")


def etag(resource: Json) -> str:
    """The entity tag of a JSON value, in its quotes; an `etag` of the value itself does not count.

    >>> etag({"id": "1", "etag": "old"}) == etag({"id": "1"}), len(etag({}))
    (True, 29)
    """
    if isinstance(resource, dict) and "etag" in resource:
        resource = resource.copy()
        del resource["etag"]
    text = orjson.dumps(resource, option=orjson.OPT_SORT_KEYS)
    # of long texts the quickest: processors have instructions for it
    digest = b2a_base64(sha256(text).digest()[:20], newline=False)
    return f'"{digest.translate(_URL_SAFE, b"=").decode()}"'


def lists_etag(header: bytes, tag: str) -> bool:
    """Whether a list of entity tags has one; weak and strong are the same, quotes do not count.

    >>> lists_etag(b'W/"a", "b"', '"a"'), lists_etag(b"*", "x"), lists_etag(b'"a"', "b")
    (True, True, False)
    """
    listed = [bare_etag(each) for each in header.decode("latin-1").split(",")]
    return "*" in listed or bare_etag(tag) in listed


def bare_etag(tag: str) -> str:
    """An entity tag without quotes, strong.

    >>> bare_etag('W/"a"')
    'a'
    """
    return tag.strip().removeprefix("W/").strip('"')


Verb = Literal["list", "get", "create", "patch", "update", "delete"]
EVERY_VERB: tuple[Verb, ...] = ("list", "get", "create", "patch", "delete")
READ_VERBS: tuple[Verb, ...] = ("list", "get")
Found = tuple[str, JsonObject]
"""A key and its row."""

ANY_PAGE = PageRule(default=50, maximum=1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Referrer:
    """Rows that name a row, and what they do to its deletion.

    Attributes:
        collection: Their table.
        field: The field that names it, or a list of such names.
        allowed_by: The parameter that allows the deletion nevertheless.
        refusal: Text of the refusal, `{name}` is the first that names it.
        goes_along: Whether they are deleted, too.
    """

    collection: str
    field: str
    allowed_by: str
    refusal: str
    goes_along: bool = False


@dataclass(frozen=True, kw_only=True)
class Resource:
    """A collection whose rows are keyed by full resource name and hold it as `name`.

    Where rows are named in another way, a subclass says how calls name them and what a new one is.

    Attributes:
        collection: Name of the table and of the snapshot's key, `dashboards`.
        pattern: Names of its rows, `projects/{project}/dashboards/{dashboard}`; `{variables}` are
            one segment and may stand for a collection too (`{kind}/{id}/locations/{location}`).
        about: One phrase for help texts.
        verbs: Which of the standard methods an `Api` has of it.
        methods: Beginnings of the ids of these, `monitoring.services`; the literal segments of the
            pattern after the name of the API's document when empty.
        times: Dotted paths of further fields with timestamps; `*` is every item.
        schema: The schema of a row as a snapshot has it, `monitoring:v3#AlertPolicy`; empty where
            a snapshot may have it in another form.
        list_key: Field of a list's answer that holds the rows; the last literal segment of the
            pattern when empty.
        kind: The `kind` of a list's answer, or an empty string.
        page: How a list pages.
        parent: Names of the parents of a list; without the last two segments when empty.
        parent_param: The parameter that names the parent of a list or of a new row; where it is
            empty, parameters of their names are the variables of the pattern, as in older APIs.
        name_param: The parameter that names a row; empty likewise.
        id_param: The parameter that gives a new row's last id; None when the server makes ids.
        id_required: Whether a new row without that parameter is refused.
        new_id: Makes the last id of a new row that has none given; a UUID when None.
        named_by_body: Whether a new row may bring its full name along.
        body_field: Field of a request's body that holds the row; empty where the body is one.
        order: The order of a list that asks for none by `orderBy`: as rows were put when empty;
            None where lists have no orders.
        filter: What selects the rows of a list beside their parent, or None when the call asks for
            nothing; raises ApiError.
        show: What a caller gets of a row (a view); the row itself when None.
        noun: What messages call a row.
        required: Fields that a new row must have.
        defaults: Fields of a new row that gives none.
        created: Fields that tell when a row was made.
        updated: Fields that tell when it was made or changed.
        on_create: Completes and checks a new row; raises ApiError.
        on_change: Completes and checks a changed row, given call, row before and row after.
        on_delete: Checks a deletion; raises ApiError.
        parent_collection: Where the parent of a new row must be; empty where that does not matter.
        inside: Tables whose rows have names that begin with a row's, and go with it.
        referrers: What forbids a deletion, or goes along, because it names the row.
        reply: What a write answers with, given call, verb and row (a long-running operation).
        fields: Top-level fields of a row and their types; a mask with others is refused. Empty
            knows none.
        immutable: Fields that a change may repeat and not change.
        identity: Fields that only the server writes and that name a row and its version.
        output_only: Further fields that only the server writes.
        etags: Whether rows have etags.
        missing: Text of the 404, `{name}` is the name asked for.
        exists: Text of the 409, `{name}` likewise.
        total: Field of a list's answer that counts all rows, or an empty string.
    """

    collection: str
    pattern: str
    about: str = ""
    verbs: tuple[Verb, ...] = EVERY_VERB
    methods: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    schema: str = ""
    list_key: str = ""
    kind: str = ""
    page: PageRule = ANY_PAGE
    parent: str = ""
    parent_param: str = "parent"
    name_param: str = "name"
    id_param: str | None = None
    id_required: bool = False
    new_id: Callable[[Call], str] | None = None
    named_by_body: bool = False
    body_field: str = ""
    order: str | None = None
    filter: Callable[[ListCall], Selection | None] | None = None
    show: Callable[[Call, JsonObject], JsonObject] | None = None
    noun: str = ""
    required: tuple[str, ...] = ()
    defaults: JsonMapping = field(default_factory=dict)
    created: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    on_create: Callable[[Call, JsonObject], JsonObject] | None = None
    on_change: Callable[[Call, JsonObject, JsonObject], JsonObject] | None = None
    on_delete: Callable[[Call, JsonObject], None] | None = None
    parent_collection: str = ""
    inside: tuple[str, ...] = ()
    referrers: tuple[Referrer, ...] = ()
    reply: Callable[[Call, Verb, JsonObject], JsonObject] | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    immutable: tuple[str, ...] = ()
    identity: tuple[str, ...] = ("name", "etag")
    output_only: tuple[str, ...] = ()
    etags: bool = False
    missing: str = MISSING
    exists: str = "Requested entity already exists"
    total: str = ""

    def __post_init__(self) -> None:
        if self.pattern and not self.list_key:
            object.__setattr__(self, "list_key", self.names.segments[-2])

    @property
    def names(self) -> NamePattern:
        """The pattern of a row's name."""
        return name_pattern(self.pattern)

    @property
    def depth(self) -> int:
        """How many segments of a name are below its parent."""
        if not self.parent:
            return 2
        return len(self.names.segments) - len(name_pattern(self.parent).segments)

    def handlers(self, api: str) -> Mapping[str, Handler]:
        """The handlers of its methods, of an API with that name."""
        return crud_handlers(self, method_prefixes(self, api), self.verbs)

    def name_in(self, call: Call) -> str:
        """The name of the row that a call means; in the body when the transport has no path."""
        if not self.name_param:
            return self.names.filled(call.params)
        return str(call.params.get(self.name_param) or call.body.get("name") or "")

    def find(self, world: World, name: str) -> Found | None:
        """The key and the row of a name, or None; a project's number and id mean the same."""
        table = world.table(self.collection)
        for each in project_names(world, name):
            found = table.get(each)
            if found is not None:
                return each, found
        return None

    def require(self, call: Call, name: str) -> Found:
        """The key and the row of a name; raises ApiError: 404, as its own methods say it."""
        found = self.find(call.world, name)
        if found is None:
            raise self.missing_error(call, name)
        return found

    def put_fields(self, call: Call, found: Found, fields: JsonMapping) -> JsonObject:
        """Put a row with other fields; its key may be a new one."""
        row = self.with_etag({**found[1], **fields})
        call.world.put(self.collection, found[0], row)
        return row

    def path_in(self, call: Call) -> str:
        """The path of the row whose method a call names; that of an action is before its name."""
        return self.name_in(call)

    def missing_error(self, call: Call, name: str) -> ApiError:
        """What refuses a call that names a row that is not there."""
        rows = call.world.table(self.collection)
        error = not_found(self.missing.format(name=name), name=name, nearest=nearest(name, rows))
        api, item = self._schema_parts
        return known_facts(call.world, api).worded(error, "get", item, call, name) if api else error

    @property
    def _schema_parts(self) -> tuple[str, str]:
        """The API and the schema by which facts know a row; empty where none is told."""
        key, _, item = self.schema.partition("#")
        return key.partition(":")[0], item

    def with_facts(self, call: Call, name: str, row: JsonObject) -> JsonObject:
        """A row with what its service is known to add to it."""
        api, item = self._schema_parts
        return known_facts(call.world, api).complete(item, call, name, row) if api else row

    def parents(self, call: Call, table: Store) -> Sequence[str]:
        """The parents whose rows a call asks for; `-` is every id.

        Raises:
            ApiError: 400 when the parent is not of the resource's parents.
        """
        wanted = project_names(call.world, self.parent_in(call))
        if not any(WILDCARD in each.split("/") for each in wanted):
            return wanted
        known = (each for (each,) in table.values_as_put(by_parent(self.depth)))
        return [each for each in known if any(is_under(name, each) for name in wanted)]

    def parent_in(self, call: Call) -> str:
        """The parent that a call names.

        Raises:
            ApiError: 400 when it is not of the resource's parents.
        """
        pattern = name_pattern(self.parent or self.names.parent())
        if not self.parent_param:
            return pattern.filled(call.params)
        parent = str(call.params.get(self.parent_param, ""))
        if parent and pattern.captures(parent) is None:
            raise invalid(f"Invalid resource name '{parent}'.", location=self.parent_param)
        return parent

    def query(self, asked: ListCall) -> tuple[Sequence[Selection], Order]:
        """What selects the rows of a list beside their parent, and their order; raises ApiError."""
        found = None if self.filter is None else self.filter(asked)
        terms = "" if self.order is None else str(asked.call.params.get("orderBy") or self.order)
        return () if found is None else (found,), sort_keys(asked, terms)

    def arrange(self, call: Call, rows: Sequence[JsonObject]) -> Sequence[JsonObject]:
        """What a list shows of the selected rows; raises ApiError."""
        return rows

    def list_head(self, call: Call) -> JsonObject:
        """What a list's answer says before its items."""
        return {"kind": self.kind} if self.kind else {}

    def list_answer(
        self, call: Call, rows: Sequence[JsonObject], several: Sequence[JsonObject], token: str
    ) -> JsonObject:
        """A list's answer, given all its rows, those of the page, and the next page's token."""
        answer = list_answer(self.list_key, several, token, self.list_head(call))
        return {**answer, self.total: len(rows)} if self.total else answer

    def new_name(self, call: Call, given: JsonObject) -> tuple[str, JsonObject]:
        """The name of a new row, and what is given of it.

        Raises:
            ApiError: 400 for an id that cannot be or is missing.
        """
        name = str(given.get("name", ""))
        if self.named_by_body and self.names.captures(name) is not None:
            return name, given
        parent = self.parent_in(call)
        last = str(call.params.get(self.id_param, "")) if self.id_param else ""
        field = snake_case(self.id_param or "")
        if not last and self.id_required:
            raise bad_fields([(field, f"The field '{field}' is required.")])
        if "/" in last or last == "-":
            raise bad_fields([(field, f"Invalid resource id '{last}'.")])
        if not last:
            made = self.new_id
            last = made(call) if made else call.world.ids.uuid(self.collection)
        return self.names.name(parent, last), given

    def named_row(self, name: str, given: JsonObject) -> JsonObject:
        """A new row with its name, of what is given."""
        dropped = (*self.identity, *self.output_only)
        kept = {key: value for key, value in given.items() if key not in dropped}
        return {"name": name, **self.defaults, **kept}

    def completed_row(self, call: Call, row: JsonObject) -> JsonObject:
        """A new row, which has its times, with what the server adds; raises ApiError."""
        row = row if self.on_create is None else self.on_create(call, row)
        return self.with_facts(call, str(row.get("name", "")), row)

    def changed_row(self, call: Call, before: JsonObject, after: JsonObject) -> JsonObject:
        """A changed row; raises ApiError."""
        after = after if self.on_change is None else self.on_change(call, before, after)
        return self.with_facts(call, str(after.get("name", "")), after)

    def with_etag(self, row: JsonObject) -> JsonObject:
        """A row that is written, with its new etag."""
        return {**row, "etag": etag(row).strip('"')} if self.etags else row

    def check_etag(self, row: JsonObject, tag: str) -> None:
        """Refuse a change of what was changed in the meantime; raises ApiError."""
        if self.etags and tag and tag.strip('"') != _etag_of(row).strip('"'):
            text = "The etag of the resource does not match: it was changed in the meantime."
            raise ApiError(409, text, reason="aborted", code_name="ABORTED")

    def write_answer(
        self, call: Call, verb: Verb, name: str, row: JsonObject | None
    ) -> JsonObject | None:
        """What a write answers, given the row as it is now: None when it was not there."""
        if row is None or (verb == "delete" and self.reply is None):
            return {}
        seen = row if verb == "delete" else visible_row(self, call, row)
        return seen if self.reply is None else self.reply(call, verb, seen)


@cache
def by_parent(depth: int) -> Index:
    """The index of rows by what is left of their keys without the last `depth` segments."""
    return Index(lambda name, _: ((parent_of(name, depth),),))


def get_row(resource: Resource, call: Call) -> JsonObject:
    """Answers `get`."""
    return visible_row(resource, call, find_row(resource, call))


def own_resource(call: Call, method_id: str = "") -> Resource:
    """The collection that conventions make of a call, or of another method of its document."""
    return cast("Resource", call.known_conventions().resource(method_id))


def named_row(call: Call) -> Found:
    """The key and the row whose method a call asks, by conventions; raises ApiError: 404."""
    resource = own_resource(call)
    return resource.require(call, resource.path_in(call))


def put_fields(call: Call, found: Found, fields: JsonMapping) -> JsonObject:
    """Put the row whose method a call asks, with other fields; its key may be a new one."""
    return own_resource(call).put_fields(call, found, fields)


def find_row(resource: Resource, call: Call) -> JsonObject:
    """The row that a call names.

    Raises:
        ApiError: 404; the session has no such row.
    """
    return resource.require(call, resource.name_in(call))[1]


def require_row(world: World, collection: str, name: str, message: str = MISSING) -> JsonObject:
    """The row of a table with a name; a project's number and id mean the same.

    Raises:
        ApiError: 404, with the nearest name.
    """
    table = world.table(collection)
    for each in project_names(world, name):
        found = table.get(each)
        if found is not None:
            return found
    raise not_found(message, name=name, nearest=nearest(name, table))


def list_rows(resource: Resource, call: Call) -> JsonObject:
    """Answers `list`: filtered, in order, paged; `-` in the parent is every id.

    Raises:
        ApiError: 400 for a filter, an order or a page token that cannot be.
    """
    return page_answer(resource, call, rows_under(resource, call))


def page_answer(resource: Resource, call: Call, rows: Sequence[JsonObject]) -> JsonObject:
    """The answer of a list: a page of its rows, and the token of the next.

    Raises:
        ApiError: 400 for a page token that cannot be.
    """
    several, token = page(call, rows, resource.page)
    visible = [visible_row(resource, call, row) for row in several]
    return resource.list_answer(call, rows, visible, token)


def rows_under(resource: Resource, call: Call) -> Sequence[JsonObject]:
    """The rows that a list means: parent by parent, unless the call asks for an order."""
    table, index = call.world.table(resource.collection), by_parent(resource.depth)
    parents = dict.fromkeys(resource.parents(call, table))
    under = ByIndex(table, index, [((each,), (each, LAST)) for each in parents], words="parent")
    times = call.world.base.times.get(resource.collection, ())
    asked = ListCall(call, table, {path[0] for path in times}, (under,))
    return selected_rows(resource, asked, under if len(under.ranges) > 1 else None)


def selected_rows(
    resource: Resource, asked: ListCall, within: ByIndex | None = None
) -> Sequence[JsonObject]:
    """The rows of a table that a list means.

    Args:
        resource: What the rows are like.
        asked: The call and the table.
        within: By which values rows come one after another where the call asks for no order; None
            leaves them as they were put.
    """
    table = asked.table
    selected, order = resource.query(asked)
    parts = [each for each in (*asked.within, *selected) if not _has_all(each, table)]
    where = AllOf(parts) if len(parts) > 1 else parts[0] if parts else None
    query = Query(name=resource.collection, where=where, order=order, within=within)
    keys = query.keys(table)
    return resource.arrange(asked.call, Rows(table, keys))


def _has_all(selection: Selection, table: Store) -> bool:
    """Whether a selection by one value of an index has all rows."""
    bounds = selection.bounds if isinstance(selection, ByIndex) else None
    return bounds is not None and bounds[1] == (*bounds[0], LAST) and len(selection) == len(table)


def visible_row(resource: Resource, call: Call, row: JsonObject) -> JsonObject:
    """What a caller gets of a row."""
    if resource.etags and "etag" not in row:
        row = {**row, "etag": _etag_of(row)}
    return row if resource.show is None else resource.show(call, row)


def _etag_of(row: JsonObject) -> str:
    """A row's etag: its own, or the one of its content, as the newer APIs write it."""
    return str(row.get("etag") or etag(row).strip('"'))


def create_row(resource: Resource, call: Call) -> JsonObject | None:
    """Answers `create`.

    Raises:
        ApiError: 400 for an id that cannot be or is missing, 409 when the name is taken; what
            `on_create` raises.
    """
    name, given = resource.new_name(call, _given_row(resource, call))
    if resource.find(call.world, name) is not None:
        raise duplicate(resource.exists.format(name=name))
    return _put_new_row(resource, call, name, given)


def _given_row(resource: Resource, call: Call) -> JsonObject:
    """The row that a request's body holds."""
    given = call.body.get(resource.body_field) if resource.body_field else call.body
    return given if isinstance(given, dict) else {}


def _put_new_row(resource: Resource, call: Call, name: str, given: JsonObject) -> JsonObject | None:
    row, now = resource.named_row(name, given), rfc3339(call.world.clock.now())
    times = (*resource.created, *resource.updated)
    row = {**row, **{each: now for each in times if each not in row}}
    parent = parent_of(name, resource.depth)
    around = call.world.table(resource.parent_collection)
    if resource.parent_collection and not any(
        each in around for each in project_names(call.world, parent)
    ):
        raise not_found(name=parent)
    require_fields(row, resource.noun, resource.required)
    return _put_row(resource, call, "create", name, name, resource.completed_row(call, row))


def require_fields(row: JsonObject, noun: str, names: Sequence[str]) -> None:
    """Refuse a row without fields that it must have.

    Raises:
        ApiError: 400, with each field.
    """
    missing = [f"{noun}.{name}" for name in names if not row.get(name)]
    if missing:
        raise bad_fields([(each, f"Field {each} is required.") for each in missing])


def patch_row(resource: Resource, call: Call) -> JsonObject | None:
    """Answers `patch`: what the mask names, or what the body holds when there is no mask.

    Raises:
        ApiError: 404; 400 for a mask or an immutable field; 409 for a stale etag.
    """
    whole = [(name,) for name in _given_row(resource, call)]
    return _change_row(resource, call, "patch", whole)


def update_row(resource: Resource, call: Call) -> JsonObject | None:
    """Answers `update`: what the mask names, or the whole row when there is no mask.

    Raises:
        ApiError: As `patch_row`.
    """
    return _change_row(resource, call, "update", [(EVERY,)])


def _change_row(
    resource: Resource, call: Call, verb: Verb, whole: Sequence[tuple[str, ...]]
) -> JsonObject | None:
    given, name = _given_row(resource, call), resource.name_in(call)
    if call.params.get("allowMissing") and resource.find(call.world, name) is None:
        return _put_new_row(resource, call, name, resource.with_facts(call, name, given))
    key, before = resource.require(call, name)
    resource.check_etag(before, str(given.get("etag") or ""))
    mask = str(call.params.get("updateMask") or _body_mask(call))
    paths = read_update_mask(mask) or whole
    kept = (*resource.identity, *resource.output_only)
    wrong = unknown_paths(paths, (*resource.fields, *kept)) if resource.fields else None
    if wrong is not None:
        raise wrong
    after = update_resource(before, given, paths, (*kept, *resource.immutable))
    _check_immutable(resource, before, given, paths)
    after = {each: value for each, value in after.items() if value is not None}
    after = resource.changed_row(call, before, after)
    after |= dict.fromkeys(resource.updated, rfc3339(call.world.clock.now()))
    return _put_row(resource, call, verb, name, key, after)


def _body_mask(call: Call) -> str:
    return str(call.body.get("updateMask") or call.body.get("fieldMask") or "")


def _put_row(
    resource: Resource, call: Call, verb: Verb, name: str, key: str, row: JsonObject
) -> JsonObject | None:
    row = resource.with_etag(row)
    if not call.params.get("validateOnly"):
        call.world.put(resource.collection, key, row)
    return resource.write_answer(call, verb, name, row)


def delete_row(resource: Resource, call: Call) -> JsonObject | None:
    """Answers `delete`.

    Raises:
        ApiError: 404, unless `allowMissing`; 409 for a stale etag; what `on_delete` raises.
    """
    name = resource.name_in(call)
    if call.params.get("allowMissing") and resource.find(call.world, name) is None:
        return resource.write_answer(call, "delete", name, None)
    key, row = resource.require(call, name)
    resource.check_etag(row, str(call.params.get("etag", "")))
    if resource.on_delete is not None:
        resource.on_delete(call, row)
    if not call.params.get("validateOnly"):
        _remove_row(resource, call, key)
    return resource.write_answer(call, "delete", name, row)


def _remove_row(resource: Resource, call: Call, key: str) -> None:
    """Delete a row, and what goes with it."""
    for each in resource.referrers:
        table = call.world.table(each.collection)
        users = [entry[2] for entry in field_of(each.field).equal(table, [key]).places()]
        if users and not call.params.get(each.allowed_by):
            raise failed_precondition(each.refusal.format(name=users[0]))
        for user in users if each.goes_along else ():
            _remove_row(resource, call, user)
    for collection in resource.inside:
        for name in call.world.table(collection).starting(BY_KEY, f"{key}/").row_keys():
            call.world.delete(collection, name)
    call.world.delete(resource.collection, key)


def _check_immutable(
    resource: Resource, before: JsonObject, given: JsonObject, paths: Sequence[tuple[str, ...]]
) -> None:
    masked = {path[0] for path in paths}
    wrong = [
        name
        for name in resource.immutable
        if (name in masked or EVERY in masked) and name in given and given[name] != before.get(name)
    ]
    if wrong:
        text = "The field '{}' is immutable."
        raise bad_fields([(snake_case(name), text.format(snake_case(name))) for name in wrong])


def method_prefixes(resource: Resource, api: str) -> tuple[str, ...]:
    """What the ids of a collection's methods begin with, of an API with that name."""
    literal = [each for each in resource.names.segments if not each.startswith("{")]
    return resource.methods or (".".join((api, *literal)),)


ANSWERS_BY_VERB: Mapping[str, Callable[[Resource, Call], JsonObject | None]] = {
    "list": list_rows,
    "get": get_row,
    "create": create_row,
    "patch": patch_row,
    "update": update_row,
    "delete": delete_row,
}


def crud_handlers(
    resource: Resource, paths: Sequence[str], verbs: Sequence[Verb] = EVERY_VERB
) -> Mapping[str, Handler]:
    """Handlers of a collection's standard methods.

    Args:
        resource: What the collection is like.
        paths: What the methods' Discovery ids begin with, `apphub.projects.locations.services`;
            several where an API has the same collection under projects, folders and organizations.
        verbs: The methods. `patch` without a mask changes what the body holds, `update` replaces
            the row.

    Returns:
        Discovery id to handler.
    """
    return {
        f"{path}.{verb}": partial(ANSWERS_BY_VERB[verb], resource)
        for path in paths
        for verb in verbs
    }
