"""What names in OpenAPI documents usually mean: of paths, keys, parameters and fields."""

import re
from collections.abc import Collection, Iterable

from mockserver.collections.selections import Operator

ON_ROWS = {"GET": "list", "POST": "create"}
ON_ROW = {"GET": "get", "PUT": "replace", "PATCH": "patch", "DELETE": "delete"}
"""What verbs mean on the path of a collection, and on that of one row."""

PAGES = ("page", "pageNumber", "page_number", "page[number]", "pagenum", "p")
OFFSETS = ("offset", "skip", "start", "startAt", "start_at", "startIndex", "page[offset]")
CURSORS = (
    "cursor", "pageToken", "page_token", "nextToken", "next_token", "next_page_token",
    "nextPageToken", "continuationToken", "continuation_token", "continue", "page[cursor]",
    "marker", "after", "next_cursor", "scroll_id",
)  # fmt: skip
SIZES = (
    "per_page", "perPage", "page_size", "pageSize", "limit", "size", "page[size]", "page[limit]",
    "count", "max_results", "maxResults", "pagelen", "first", "$top", "top", "PageSize",
)  # fmt: skip
NEXT_TOKENS = (
    "nextPageToken", "next_page_token", "nextToken", "next_token", "next_cursor", "nextCursor",
    "continuation_token", "continuationToken", "continue", "marker", "next_marker", "cursor",
)  # fmt: skip
NEXT_URLS = ("next", "next_url", "nextUrl", "next_page_url", "nextLink", "@odata.nextLink",
             "next_page_uri")  # fmt: skip
PREVIOUS_URLS = ("previous", "prev", "previous_url", "prev_url", "previous_page_uri")
TOTALS = ("total", "total_count", "totalCount", "count", "total_items", "totalItems",
          "total_records", "totalResults", "total_entries")  # fmt: skip
HAS_MORE = ("has_more", "hasMore", "has_next", "hasNext")
ENVELOPES = ("meta", "pagination", "paging", "response_metadata", "links", "metadata", "page_info")
SEARCHES = ("q", "query", "search", "search_query", "keyword", "filter[q]", "term")
SORTS = ("sort", "sort_by", "sortBy", "order_by", "orderBy", "ordering", "$orderby", "sort_field")
ORDERS = ("order", "direction", "sort_order", "sortOrder", "sort_dir", "sort_direction", "dir",
          "sortDirection")  # fmt: skip
FIELDS = ("fields", "$select", "opt_fields", "select")
NAMES = ("login", "username", "slug", "key", "name", "code")
LISTS = ("items", "data", "results", "values", "entries", "records", "content", "value", "rows",
         "list", "objects", "resources")  # fmt: skip

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+")
_NO_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_BASES = re.compile(r"api|rest|v\d[\w.]*|\d{4}-\d{2}(-\d{2})?", re.IGNORECASE)
_SUFFIXES: tuple[tuple[str, Operator], ...] = (
    ("gte", ">="), ("lte", "<="), ("gt", ">"), ("lt", "<"), ("from", ">="), ("to", "<="),
    ("after", ">"), ("before", "<"), ("since", ">="), ("until", "<="), ("min", ">="), ("max", "<="),
    ("contains", "contains"), ("in", "in"), ("start", ">="), ("end", "<="),
)  # fmt: skip


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name in lower case.

    >>> words_of("created[gte]"), words_of("petId"), words_of("HTTPServer_name")
    (('created', 'gte'), ('pet', 'id'), ('http', 'server', 'name'))
    """
    return tuple(each.lower() for each in _WORD.findall(name))


def singular(name: str) -> str:
    """One of what a plural names.

    >>> singular("categories"), singular("bookings"), singular("boxes"), singular("status")
    ('category', 'booking', 'box', 'status')
    """
    lower = name.lower()
    if lower.endswith("ies") and len(name) > 4:
        return f"{name[:-3]}y"
    if lower.endswith(("xes", "ches", "shes", "sses")):
        return name[:-2]
    return name[:-1] if lower.endswith("s") and not lower.endswith(("ss", "us", "is")) else name


def collection_name(segment: str) -> str:
    """The last segment of a path as the name of a collection.

    >>> collection_name("line-items.json"), collection_name("2fa")
    ('line-items', 'c2fa')
    """
    clean = _NO_NAME.sub("_", segment.removesuffix(".json")).strip("_-") or "rows"
    return (clean if clean[0].isalpha() else f"c{clean}")[:64]


def is_base(segment: str) -> bool:
    """Whether a segment of all paths belongs to the base path: `api`, `v1`, `2024-01`."""
    return _BASES.fullmatch(segment) is not None


def first_of(wanted: Iterable[str], known: Collection[str]) -> str:
    """The first of some names that is known, letter case aside; empty where none is."""
    lower = {each.lower(): each for each in reversed(list(known))}
    return next((lower[each.lower()] for each in wanted if each.lower() in lower), "")


def field_for(name: str, fields: Collection[str]) -> str:
    """The field with the same words as a name; empty where there is none."""
    if name in fields:
        return name
    words = words_of(name)
    return next((each for each in fields if words_of(each) == words), "")


def key_for(placeholder: str, collection: str, fields: Collection[str]) -> str:
    """The field that a placeholder stands for; empty where none can be told.

    >>> key_for("petId", "pets", ["name", "id"]), key_for("issue_number", "issues", ["number"])
    ('id', 'number')
    """
    found = field_for(placeholder, fields)
    if found:
        return found
    words, own = words_of(placeholder), words_of(singular(collection))
    for start in range(1, len(words)):
        if words[:start] == own[-start:] or start == len(words) - 1:
            rest = "_".join(words[start:])
            found = field_for(rest, fields)
            if found:
                return found
    return first_of(("id", "uuid", "sid", "gid", "key", "slug", "name"), fields)


def comparison_for(name: str, fields: Collection[str]) -> tuple[str, Operator] | None:
    """The field and the operator that a parameter such as `price_max` or `minPrice` means.

    >>> comparison_for("price_max", ["price"]), comparison_for("colour", ["price"])
    (('price', '<='), None)
    """
    words = words_of(name)
    for suffix, operator in _SUFFIXES:
        rest: tuple[str, ...] = ()
        if len(words) > 1 and words[-1] == suffix:
            rest = words[:-1]
        elif len(words) > 1 and words[0] == suffix:
            rest = words[1:]
        if not rest:
            continue
        found = field_for("_".join(rest), fields) or field_for("_".join((*rest, "at")), fields)
        if found:
            return found, operator
    return None
