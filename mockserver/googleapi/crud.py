"""The five standard methods over a plain collection, by a declaration.

A collection that only lists, reads, creates, changes and deletes is a `Resource` and one call of
`crud_handlers`; only real semantics need handlers of their own.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from mockserver.googleapi.call import Call, Handler
from mockserver.googleapi.changes import create_row, delete_row, patch_row, update_row
from mockserver.googleapi.resources import Resource, Verb
from mockserver.googleapi.rows import get_row, list_rows
from mockserver.model import JsonObject

_ANSWERS: Mapping[Verb, Callable[[Resource, Call], JsonObject]] = {
    "list": list_rows,
    "get": get_row,
    "create": create_row,
    "patch": patch_row,
    "update": update_row,
    "delete": delete_row,
}


def crud_handlers(
    resource: Resource, methods: Mapping[Verb, str | Sequence[str]]
) -> Mapping[str, Handler]:
    """Handlers of a collection's standard methods.

    Args:
        resource: What the collection is like.
        methods: Verb to Discovery id, or to several ids where an API has the same collection under
            projects, folders and organizations. `patch` without a mask changes what the body
            holds, `update` replaces the row.

    Returns:
        Discovery id to handler.
    """
    return {
        each: partial(_ANSWERS[verb], resource)
        for verb, ids in methods.items()
        for each in ((ids,) if isinstance(ids, str) else ids)
    }
