"""What a plain collection of an API is like: names, parents, paging, defaults, who may change what.

Source: AIP-122 (names), AIP-131 to AIP-135 (standard methods), AIP-154 (etags).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from mockserver.googleapi.call import Call
from mockserver.googleapi.names import NamePattern, name_pattern
from mockserver.googleapi.paging import PageRule
from mockserver.model import JsonMapping, JsonObject

Verb = Literal["list", "get", "create", "patch", "update", "delete"]
Rows = Sequence[JsonObject]
Test = Callable[[JsonObject], bool]

ANY_PAGE = PageRule(default=50, maximum=1000)


@dataclass(frozen=True, kw_only=True)
class Resource:
    """A collection whose rows are keyed by full resource name and hold it as `name`.

    Attributes:
        collection: Name of the table, `dashboards`.
        pattern: Names of its rows, `projects/{project}/dashboards/{dashboard}`; `{variables}` are
            one segment and may stand for a collection too (`{kind}/{id}/locations/{location}`).
        list_key: Field of a list's answer that holds the rows.
        page: How a list pages.
        parent: Names of the parents of a list; without the last two segments when empty.
        parent_param: The parameter that names the parent of a list or of a new row.
        name_param: The parameter that names a row.
        id_param: The parameter that gives a new row's last id; None when the server makes ids.
        id_required: Whether a new row without that parameter is refused.
        new_id: Makes the last id of a new row that has none given; a UUID when None.
        named_by_body: Whether a new row may bring its full name along.
        order: Puts the rows of a list in order; as they were put when None.
        filter: What makes a list's test of its call, or None when the call asks for none; raises
            ApiError.
        show: What a caller gets of a row (a view); the row itself when None.
        defaults: Fields of a new row that gives none.
        on_create: Completes and checks a new row; raises ApiError.
        on_change: Completes and checks a changed row, given call, row before and row after.
        on_delete: Checks a deletion; raises ApiError.
        reply: What a write answers with, given call, verb and row (a long-running operation).
        fields: Top-level fields of a row; a mask with others is refused. Empty knows none.
        immutable: Fields that a change may repeat and not change.
        output_only: Fields that only the server writes; `name` and `etag` always are.
        etags: Whether rows have etags.
        missing: Text of the 404, `{name}` is the name asked for.
        exists: Text of the 409, `{name}` likewise.
        total: Field of a list's answer that counts all rows, or an empty string.
    """

    collection: str
    pattern: str
    list_key: str
    page: PageRule = ANY_PAGE
    parent: str = ""
    parent_param: str = "parent"
    name_param: str = "name"
    id_param: str | None = None
    id_required: bool = False
    new_id: Callable[[Call], str] | None = None
    named_by_body: bool = False
    order: Callable[[Call, Rows], Rows] | None = None
    filter: Callable[[Call], Test | None] | None = None
    show: Callable[[Call, JsonObject], JsonObject] | None = None
    defaults: JsonMapping = field(default_factory=dict)
    on_create: Callable[[Call, JsonObject], JsonObject] | None = None
    on_change: Callable[[Call, JsonObject, JsonObject], JsonObject] | None = None
    on_delete: Callable[[Call, JsonObject], None] | None = None
    reply: Callable[[Call, Verb, JsonObject], JsonObject] | None = None
    fields: tuple[str, ...] = ()
    immutable: tuple[str, ...] = ()
    output_only: tuple[str, ...] = ()
    etags: bool = False
    missing: str = "Requested entity was not found."
    exists: str = "Requested entity already exists"
    total: str = ""

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
