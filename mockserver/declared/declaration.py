"""A declared API: what its file says, checked; the words that authors write under `apis/`.

Short forms (`sort: sort`, `auth: {bearer: true}`, `errors: problem+json`) become the long ones when
the file is read, so that a value of these models has one form only.
"""

import re
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, model_validator

from mockserver.collections.collection import OnDelete
from mockserver.collections.selections import Operator
from mockserver.model import Frozen, Json, JsonObject
from mockserver.stubs import StubRules

PLACEHOLDER = re.compile(r"\{(\+?[A-Za-z_][\w-]*)\}")
"""A segment of a path that takes any value; one with a plus takes the rest of the path."""

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")]
"""Name of an API, a collection or an action; a part of method ids."""

Verb = Literal["list", "get", "create", "replace", "patch", "delete"]
"""What a collection can be asked without further words."""

PagingStyle = Literal["page", "offset", "cursor", "key"]

USUAL_PARAMS = {"page": "page", "offset": "offset", "cursor": "cursor", "key": "starting_after"}
"""The parameter of each style of pages where its author names none."""

TimeFormat = Literal["rfc3339", "unix", "unix_ms", "rfc2822"]
"""How answers write times: as text, as seconds or milliseconds since 1970, as mails do."""

NextPage = Literal["none", "link_header"]

_Place = Annotated[str, StringConstraints(min_length=1, max_length=200)]
"""A field's name, or names with dots between for what is inside others: `meta.nextToken`."""

_Path = Annotated[str, StringConstraints(pattern=r"^/[^?#\s]*$", max_length=1000)]
_OptionalPath = Annotated[str, StringConstraints(pattern=r"^(/[^?#\s]*)?$", max_length=1000)]


def _without_slash(path: str) -> str:
    return path.rstrip("/")


_BasePath = Annotated[
    str,
    StringConstraints(pattern=r"^(/[^?#\s{}]*)?$", max_length=1000),
    AfterValidator(_without_slash),
]
_Route = Annotated[
    str, StringConstraints(pattern=r"^(GET|HEAD|POST|PUT|PATCH|DELETE) /[^?#\s]*$", max_length=1000)
]
"""`POST /bookings/{id}/cancel`, below the base path."""

_FunctionName = Annotated[str, StringConstraints(pattern=r"^[\w.]+:\w+$", max_length=200)]
"""`module:function` of a trusted suite."""

_Status = Annotated[int, Field(ge=200, le=599)]
_Host = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$", max_length=253)
]


def _short(key: str) -> Callable[[Any], Any]:
    """Turns a text in place of an object into the object whose one key it is."""
    return lambda value: {key: value} if isinstance(value, str) else value


_Schema = str | JsonObject | None
"""A JSON Schema: a file beside the declaration, or the schema itself."""


class Auth(Frozen):
    """How callers prove who they are; exactly one of the first four.

    Attributes:
        header: Name of the header that holds the key.
        bearer: Whether the key is a bearer token.
        basic: Whether user and password are sent; the keys are `user:password`.
        query: Name of the query parameter that holds the key.
        values: The keys that are good; without them any that is not empty. The session's own token
            always is.
        env: The variable of the session's environment block that gets the key.
        status: What a missing or wrong key answers.
        public: Ids of methods that ask for no key, as globs below the API's name: `flights.*`.
    """

    header: str = ""
    bearer: bool = False
    basic: bool = False
    query: str = ""
    values: tuple[str, ...] = ()
    env: str = ""
    status: Literal[401, 403] = 401
    public: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _check_choice(self) -> Self:
        ways = [way for way in ("header", "bearer", "basic", "query") if getattr(self, way)]
        if len(ways) != 1:
            raise ValueError(
                f"names {len(ways)} ways to send a key: exactly one of header, bearer, basic and"
                " query is needed"
            )
        return self


class Errors(Frozen):
    """How errors are said.

    Attributes:
        style: A known style; `shape` where the body is given as `shape`.
        shape: The body, with `{{status}}`, `{{message}}`, `{{reason}}`, `{{title}}`, `{{details}}`
            and `{{path}}` in it; a text that is one placeholder becomes the value itself.
        content_type: The type of the body; the style's own when empty.
        reasons: Status to the word that `{{reason}}` stands for.
        statuses: Status to the one that is answered in its place: `{422: 400}`.
    """

    style: Literal["shape", "problem+json", "google", "jsonapi"] = "shape"
    shape: Json = None
    content_type: str = ""
    reasons: dict[int, str] = {}
    statuses: dict[int, _Status] = {}


def _keys(value: Any) -> Any:
    """One field, or several that count together, as several."""
    if isinstance(value, list | tuple):
        return [[each] if isinstance(each, str) else each for each in value]
    return value


def _filters(value: Any) -> Any:
    return {ANY_FIELD: ANY_FIELD} if value is True else value


ANY_FIELD = "*"
"""Name of the filter that stands for one on every field."""


class Filter(Frozen):
    """One query parameter that selects rows.

    Attributes:
        field: The field that it looks at.
        op: How.
        default: The value that counts where the parameter is not sent; empty for none.
        all: The value that selects every row, such as `all`; empty for none.
    """

    field: _Place
    op: Operator = "=="
    default: str = ""
    all: str = ""


_Filter = Annotated[Filter, BeforeValidator(_short("field"), json_schema_input_type=Filter | str)]


class Search(Frozen):
    """A query parameter whose words are looked for in texts, letter case aside.

    Attributes:
        param: Its name.
        fields: The fields that are looked at; every text of a row when empty.
    """

    param: str = "q"
    fields: tuple[_Place, ...] = ()


class Sort(Frozen):
    """How a caller orders rows.

    Attributes:
        param: The parameter with the fields, separated by commas: `-price`, `price:desc` and
            `price desc` are all descending.
        order: The parameter with the direction alone, `asc` or `desc`; empty for none.
        default: The order where none is asked for, in the form of `param`; as put when empty.
        fields: The fields that rows may be ordered by; any when empty.
        names: What callers call a field where that is not its name: `{created: created_at}`.
    """

    param: str = "sort"
    order: str = ""
    default: str = ""
    fields: tuple[_Place, ...] = ()
    names: dict[str, _Place] = {}


class Paging(Frozen):
    """How a long list is given in parts.

    Attributes:
        style: By number of the page, by offset, by a token that the page before gave, or by the
            key of the last row of the page before.
        param: The parameter with the number, the offset, the token or the key; `page`, `offset`,
            `cursor` or `starting_after` when empty.
        before: The parameter with the key of the first row of the page behind the one that is
            asked for, for the style `key`; empty for none.
        size: The parameter with the number of rows.
        default: Rows of a page where none is asked for.
        max: Rows of a page at the most; more are cut to it.
        first: The number of the first page.
        next: Where the next page is told: `link_header`, `none`, or the field of the answer that
            gets the token, the number of the page or the offset.
        next_url: The field of the answer that gets the whole URL of the next page; empty for none.
        previous_url: The same for the page before.
        urls: How those are written: with scheme and host, or from the path on.
        total: The field of the answer that gets the number of all rows; empty for none.
        total_header: The header that gets it; empty for none.
        has_more: The field that gets whether there is a further page; empty for none.
    """

    style: PagingStyle = "page"
    param: str = ""
    before: str = ""
    size: str = "per_page"
    default: int = Field(20, ge=1, le=100_000)
    max: int = Field(100, ge=1, le=100_000)
    first: int = Field(1, ge=0, le=1)
    next: NextPage | _Place = "none"
    next_url: str = ""
    previous_url: str = ""
    urls: Literal["whole", "path"] = "whole"
    total: str = ""
    total_header: str = ""
    has_more: str = ""

    @property
    def place_param(self) -> str:
        """The parameter that says which page is asked for."""
        return self.param or USUAL_PARAMS[self.style]


def _expand_paging(value: Any) -> Any:
    """A text is a style; `link_header` and `token` are short for the two usual mixtures."""
    shorts: dict[str, JsonObject] = {
        "link_header": {"style": "page", "next": "link_header"},
        "token": {"style": "cursor", "param": "pageToken", "size": "pageSize",
                  "next": "nextPageToken"},
    }  # fmt: skip
    if isinstance(value, str):
        return shorts.get(value) or {"style": value}
    style = value.get("style") if isinstance(value, dict) else None
    if isinstance(style, str) and style in shorts:
        return {**value, **shorts[style], **{k: v for k, v in value.items() if k != "style"}}
    return value


class Parent(Frozen):
    """The collection whose rows hold those of another one.

    Attributes:
        collection: Its name.
        field: The field of a row that holds the parent's key, with dots for one inside others;
            `bookingId` for `bookings` when empty.
    """

    collection: Name
    field: str = ""


class Reference(Frozen):
    """What a field names.

    Attributes:
        to: Collection and field of the row that it must name: `flights.id`.
        on_delete: What deleting that row does: nothing (`keep`); it is refused, deletes the row
            that names it as well, or takes its field away.
        within: Whether that row must be nested in the same row.
    """

    to: str
    on_delete: OnDelete = "keep"
    within: bool = False

    @property
    def target(self) -> tuple[str, str]:
        """The collection and the field that it names."""
        name, _, field = self.to.partition(".")
        return name, field


_Reference = Annotated[
    Reference, BeforeValidator(_short("to"), json_schema_input_type=Reference | str)
]


class Position(Frozen):
    """The place of rows among their siblings, those that are nested in the same row.

    Attributes:
        field: The field that holds it.
        alike: Further fields that siblings have in common.
        after: The parameter with the key of the sibling that a new row comes after; it comes first
            where that is not sent.
    """

    field: _Place = "position"
    alike: tuple[_Place, ...] = ()
    after: str = "after"


class Action(Frozen):
    """What can be done to a row beside changing its fields.

    Attributes:
        path: Verb and path below the base path, `POST /bookings/{id}/cancel`.
        set: The fields that it changes; texts may hold `{{body.name}}`, `{{now}}`.
        when: Field to the value, or the values, that it must have beforehand.
        refusal: What is answered where it has not.
        message: What is said then.
        schema_: JSON Schema of the body: a file or the schema itself.
        status: What a success answers; 204 has no body.
        answer: The body of the answer, a template over `{{row}}`; the row when absent.
        handler: What does it in place of `set`, in a trusted suite.
        where: Field to value: it is done to all rows of the path's list that have these.
        moves: Whether the row is put to the place that `position` tells.
    """

    path: _Route
    set: JsonObject = {}
    when: JsonObject = {}
    refusal: _Status = 409
    message: str = ""
    schema_: Annotated[_Schema, Field(alias="schema")] = None
    status: _Status = 200
    answer: Json = None
    handler: _FunctionName | None = None
    where: JsonObject = {}
    moves: bool = False


class Bulk(Frozen):
    """Whether one request may mean many rows.

    Attributes:
        create: Whether an array may be created: where the whole array is refused if one is.
        path: A path of its own for that; the collection's own when empty.
        delete: The query parameter with the keys to delete, separated by commas; empty for none.
    """

    create: bool = True
    path: _OptionalPath = ""
    delete: str = ""


class Accepted(Frozen):
    """Requests that are answered with 202 and the resource that tells how they go on.

    Attributes:
        operations: Those requests.
        path: The path of the resource, with `{job}` in it.
        seconds: How long it takes, in the session's time.
        pending: What the resource says until then, a template over `{{job}}` and `{{row}}`.
        done: What it says afterwards.
    """

    operations: tuple[Verb, ...] = ("create",)
    path: _Path
    seconds: float = Field(0.0, ge=0, le=10**7)
    pending: Json = {"id": "{{job}}", "status": "pending"}
    done: Json = {"id": "{{job}}", "status": "done", "result": "{{row}}"}


class Files(Frozen):
    """Bytes that belong to a row.

    Attributes:
        path: Where they are sent to and fetched from, with `{id}` in it: PUT, GET and DELETE; POST
            takes a form with a file as well.
        meta: The field of the row that gets name, type and size; empty for none.
        required: The type that is asked for, as a glob: `image/*`; any when empty.
    """

    path: _Path
    meta: str = ""
    required: str = ""


class Webhook(Frozen):
    """A message that the API sends when something happens.

    It is recorded in the session's collection `<api>:webhooks`, and sent only where `send` says so
    and its address is on this machine.

    Attributes:
        on: The method, or a glob of methods, below the API's name: `bookings.create`.
        url: Where it goes to, a template over `{{row}}` and `{{body}}`.
        event: What it is called.
        body: Its body, a template over `{{row}}`, `{{event}}`, `{{now}}`; these when absent.
        send: Whether it is sent as well, by POST, to an address on this machine.
    """

    on: str
    url: str
    event: str = ""
    body: Json = None
    send: bool = False


class Batch(Frozen):
    """Several requests in one: a list in the body, and an answer to each.

    Attributes:
        path: Where it is posted to.
        atomic: Whether nothing of it is kept where one of them fails.
        most: How many it may hold.
    """

    path: _Path
    atomic: bool = False
    most: Annotated[int, Field(ge=1, le=1000)] = 100


class Collection(Frozen):
    """One kind of rows, and what callers can do with them.

    Attributes:
        key: The field that names a row; with dots for one inside others: `metadata.name`.
        path: Its path below the base path or the parent's row; `/<name>` when empty. With
            placeholders it is a collection for each of their values:
            `/repos/{owner}/{repo}/issues`.
        scope: Placeholder of a path to the field of rows that holds its value; a field of the
            placeholder's name where it is not here.
        suffix: What stands behind the paths of its list and its rows: `.json`.
        ids: How new keys are made: a template (`B{{seq}}`), `uuid`, `int`, `hex`, `base36`; empty
            where the caller chooses.
        key_type: What a key is in rows; `integer` where `ids` is `int`.
        parent: The collection that it is nested in, or None.
        schema_: JSON Schema of a row: a file or the schema itself.
        defaults: Fields of a new row that the caller does not send; texts may be templates. One
            that comes to null is left out.
        computed: Fields that follow from others at every write: templates over `{{row}}`; null
            takes the field away.
        position: The place of rows among their siblings, or None.
        tombstone: Fields that a deleted row gets in place of going: `{deleted: true}`.
        created: The field that gets the time of creation; empty for none.
        updated: The field that gets the time of the latest change; empty for none.
        times: Further fields with timestamps, which move with the session's clock.
        readonly: Whether it can only be listed and read.
        readonly_fields: Fields that callers cannot set; what they send there is ignored.
        hidden_fields: Fields that no answer shows.
        operations: What it can be asked; all six when absent, `list` and `get` when read-only.
        refs: Field to the row that it must name: `{flightId: flights.id}`; longer with what
            becomes of it when that is deleted: `{to: flights.id, on_delete: cascade}`.
        unique: Fields of which no two rows have the same value; several together as a list.
        filters: Parameter to what it selects; a text is the field, compared for equality. Where it
            is true, every parameter is the name of a field.
        search: The parameter that looks for words, or None.
        sort: How rows are ordered, or None.
        paging: How lists are given in parts; None gives them whole.
        unknown_params: What becomes of parameters that nothing uses: told in `X-Mock-Ignored`, or
            refused with 400.
        newest_first: Whether rows are listed from the latest to the first where no order is asked
            for.
        list_in: The field that holds the rows of a list; the list is a bare array when empty.
        list_fields: What the envelope of a list says beside the rows: `{object: list}`; texts may
            be templates over `{{path}}`, `{{params}}` and `{{total}}`.
        item_in: The field that holds a single row, in answers and in bodies; bare when empty.
        answer_fields: Fields of answers that rows need not have: a row's own value goes first.
            Texts may be templates over `{{row}}` and `{{url}}`, the address of the row.
        time_format: How answers write what `created`, `updated` and `times` name. Rows hold RFC
            3339, which the session's clock moves.
        body_names: Whether the names of what callers send are put into snake case.
        form_empty: What an empty text in a form that changes a row does: it is the new value, or
            it takes the field away.
        fields: The parameter that selects the fields of rows; empty for none.
        patch: Which patches are taken: by the content type of the request.
        patch_verb: The verb of patches; POST on a row where the API has no PATCH.
        upsert: Whether PUT to a key that is not there creates the row.
        etag: Whether rows have entity tags, and `If-Match` is asked of them.
        versions: Fields that count the changes of a row, as a number or as text:
            `{generation: number, metadata.resourceVersion: text}`. What a change brings there must
            be what the row has; else it is stale, and refused with 409.
        delete_status: What a deletion answers: 204, or 200 with the row.
        delete_answer: What a deletion answers with 200, a template over `{{row}}`; as
            `delete_status` says when absent.
        create_status: What a creation answers.
        actions: What else can be done to a row, by name.
        bulk: Whether one request may mean many rows, or None.
        accepted: Which requests are answered with 202, or None.
        files: Bytes of a row, by name.
        cascade: Whether deleting a row deletes the rows nested in it; else it is refused while
            there are any.
    """

    key: str = "id"
    path: _OptionalPath = ""
    scope: dict[str, _Place] = {}
    suffix: Annotated[str, StringConstraints(pattern=r"^(\.[A-Za-z0-9]+)?$", max_length=20)] = ""
    ids: str = ""
    key_type: Literal["string", "integer", ""] = ""
    parent: Annotated[
        Parent | None,
        BeforeValidator(_short("collection"), json_schema_input_type=Parent | str | None),
    ] = None
    schema_: Annotated[_Schema, Field(alias="schema")] = None
    defaults: JsonObject = {}
    computed: dict[str, str] = {}
    position: Position | None = None
    tombstone: JsonObject = {}
    created: str = ""
    updated: str = ""
    times: tuple[_Place, ...] = ()
    readonly: bool = False
    readonly_fields: tuple[str, ...] = ()
    hidden_fields: tuple[str, ...] = ()
    operations: tuple[Verb, ...] | None = None
    refs: dict[str, _Reference] = {}
    unique: Annotated[
        tuple[tuple[str, ...], ...],
        BeforeValidator(_keys, json_schema_input_type=tuple[str | tuple[str, ...], ...]),
    ] = ()
    filters: Annotated[
        dict[str, _Filter],
        BeforeValidator(_filters, json_schema_input_type=Literal[True] | dict[str, _Filter]),
    ] = {}
    search: Annotated[
        Search | None,
        BeforeValidator(_short("param"), json_schema_input_type=Search | str | None),
    ] = None
    sort: Annotated[
        Sort | None, BeforeValidator(_short("param"), json_schema_input_type=Sort | str | None)
    ] = None
    paging: Annotated[
        Paging | None, BeforeValidator(_expand_paging, json_schema_input_type=Paging | str | None)
    ] = None
    unknown_params: Literal["ignored", "refused"] = "ignored"
    newest_first: bool = False
    list_in: str = ""
    list_fields: JsonObject = {}
    item_in: str = ""
    answer_fields: JsonObject = {}
    time_format: TimeFormat = "rfc3339"
    body_names: Literal["as_sent", "snake_case"] = "as_sent"
    form_empty: Literal["kept", "removed"] = "kept"
    fields: str = ""
    patch: tuple[Literal["merge", "json-patch"], ...] = ("merge", "json-patch")
    patch_verb: Literal["PATCH", "POST"] = "PATCH"
    upsert: bool = False
    etag: bool = True
    versions: dict[_Place, Literal["number", "text"]] = {}
    delete_status: Literal[200, 204] = 204
    delete_answer: Json = None
    create_status: Literal[200, 201] = 201
    actions: dict[Name, Action] = {}
    bulk: Bulk | None = None
    accepted: Accepted | None = None
    files: dict[Name, Files] = {}
    cascade: bool = True

    @property
    def verbs(self) -> tuple[Verb, ...]:
        """What it can be asked."""
        if self.operations is not None:
            return self.operations
        if self.readonly:
            return ("list", "get")
        return ("list", "get", "create", "replace", "patch", "delete")

    @property
    def timed(self) -> tuple[str, ...]:
        """The fields with timestamps."""
        return tuple(filter(None, (self.created, self.updated, *self.times)))


class RateLimit(Frozen):
    """How many requests are answered in a time, by the session's clock.

    Attributes:
        requests: So many.
        seconds: In so many seconds.
        headers: Which headers tell what is left: `X-RateLimit-*`, `RateLimit-*`, or none.
        status: What a request too many answers.
        message: What is said then.
    """

    requests: int = Field(ge=1, le=10**9)
    seconds: float = Field(60.0, gt=0, le=10**7)
    headers: Literal["x-ratelimit", "ratelimit", "none"] = "x-ratelimit"
    status: Literal[429, 403, 503] = 429
    message: str = "Too many requests."


class Idempotency(Frozen):
    """Requests that may be sent again without being done again.

    Attributes:
        header: The header that names a request.
        conflict: What another body under the same name answers.
        required: Whether creations must have it.
    """

    header: str = "Idempotency-Key"
    conflict: Literal[409, 422] = 422
    required: bool = False


class DeclaredHandler(Frozen):
    """A route that a Python function answers, in a trusted suite.

    Attributes:
        route: Verb and path below the base path.
        handler: `module:function`; it takes a `Call` and gives JSON, or None for 204.
        status: What a success answers.
    """

    route: _Route
    handler: _FunctionName
    status: _Status = 200


class DeclaredStub(StubRules):
    """A literal answer of one route; the method id below the API's name is made of it without `id`.

    Attributes:
        route: Verb and path below the base path; `{name}` takes any value.
        template: Whether texts in `headers` and `body` are templates over `params`, `body`,
            `request` and the session.
    """

    route: _Route
    template: bool = True


class OpenApiFile(Frozen):
    """The OpenAPI document of an API.

    Attributes:
        file: The document, beside the declaration: `openapi/travel.json`.
        synthesis: Whether operations that nothing else serves get answers made up of the document's
            examples and schemas; else they answer 501.
        rpc: Whether the API names procedures, not resources, as `/chat.postMessage` does: GET and
            POST then mean the same, and parameters come in the query or in the body. When None, it
            does where no path of the document has a placeholder.
    """

    file: Annotated[str, Field(min_length=1, max_length=1000)]
    synthesis: bool = True
    rpc: bool | None = None


class Declaration(Frozen):
    """One declared API: the content of a file under `apis/`.

    Attributes:
        api: Its name: the beginning of its method ids and its key in snapshots.
        openapi: Its OpenAPI document, whose operations are methods of their own where nothing else
            here serves them; or None.
        title: What it is called in documents; that of the document, or `api`, when empty.
        version: Its version, for documents.
        hosts: The hosts that it answers on; those of the document's servers when absent.
        base_path: What stands before every path of it; that of the document's servers when absent.
        auth: How callers prove who they are; None asks for nothing.
        env: Variables of the session's environment block: name to a template over `{{url}}` (the
            API's URL in the session) and `{{key}}`.
        errors: How errors are said.
        collections: Its collections by name.
        stubs: Literal answers.
        handlers: Routes that functions answer, by method id below the API's name.
        rate_limit: How much is answered in a time, or None.
        idempotency: Which requests may be sent again, or None.
        webhooks: What it tells others, recorded, and sent where one says so.
        batch: Where several requests are sent as one, or None.
        headers: Headers of every answer.
    """

    schema_at: Annotated[str, Field(alias="$schema")] = ""
    api: Name
    openapi: Annotated[
        OpenApiFile | None,
        BeforeValidator(_short("file"), json_schema_input_type=OpenApiFile | str | None),
    ] = None
    title: str = ""
    version: str = ""
    hosts: tuple[_Host, ...] = ()
    base_path: _BasePath = ""
    auth: Auth | None = None
    env: dict[str, str] = {}
    errors: Annotated[
        Errors, BeforeValidator(_short("style"), json_schema_input_type=Errors | str)
    ] = Errors()
    collections: dict[Name, Collection] = {}
    stubs: tuple[DeclaredStub, ...] = ()
    handlers: dict[str, DeclaredHandler] = {}
    rate_limit: RateLimit | None = None
    idempotency: Annotated[
        Idempotency | None,
        BeforeValidator(_short("header"), json_schema_input_type=Idempotency | str | None),
    ] = None
    webhooks: tuple[Webhook, ...] = ()
    batch: Annotated[
        Batch | None,
        BeforeValidator(_short("path"), json_schema_input_type=Batch | str | None),
    ] = None
    headers: dict[str, str] = {}

    def functions(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """The Python functions that it names.

        Yields:
            Place and name of each.
        """
        for name, handler in self.handlers.items():
            yield ("handlers", name, "handler"), handler.handler
        for name, collection in self.collections.items():
            for action, each in collection.actions.items():
                if each.handler is not None:
                    yield ("collections", name, "actions", action, "handler"), each.handler

    def parents(self, name: str) -> Iterator[tuple[str, Parent]]:
        """The collections that hold one, from the nearest on; one that holds itself ends it.

        Yields:
            The name of the nested collection, and its parent.
        """
        seen = {name}
        found = self.collections.get(name)
        while found is not None and found.parent is not None:
            yield name, found.parent
            name = found.parent.collection
            if name in seen:
                return
            seen.add(name)
            found = self.collections.get(name)


def parent_field(parent: Parent) -> str:
    """The field of a nested row that holds its parent's key.

    >>> parent_field(Parent(collection="bookings")), parent_field(Parent(collection="categories"))
    ('bookingId', 'categoryId')
    """
    name = parent.collection
    if parent.field:
        return parent.field
    if name.endswith("ies"):
        return f"{name[:-3]}yId"
    return f"{name.removesuffix('s')}Id"


def declaration_schema() -> JsonObject:
    """The JSON Schema of a declaration file, for editors."""
    made = Declaration.model_json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **made,
        "title": "A declared API of mockserver",
    }
