"""What a session did and holds, as people look at it: requests, origins of fields, layers, methods.

Nothing here runs while a request of an emulated API is answered.
"""

from typing import TYPE_CHECKING

from mockserver.lazy_names import lazy_names

if TYPE_CHECKING:
    from mockserver.inspection.journal import (
        find_entry,
        full_entry,
        journal_page,
        read_filter,
        summary,
    )
    from mockserver.inspection.layers import (
        MOST_ROWS,
        collection_page,
        compare_fields,
        list_collections,
        resource_layers,
    )
    from mockserver.inspection.methods import list_apis, list_methods
    from mockserver.inspection.provenance import AnswerOrigins
    from mockserver.inspection.stubs import propose_stub

__getattr__ = lazy_names(
    __name__,
    {
        "journal": (
            "find_entry",
            "full_entry",
            "journal_page",
            "read_filter",
            "summary",
        ),
        "layers": (
            "MOST_ROWS",
            "collection_page",
            "compare_fields",
            "list_collections",
            "resource_layers",
        ),
        "methods": (
            "list_apis",
            "list_methods",
        ),
        "provenance": ("AnswerOrigins",),
        "stubs": ("propose_stub",),
    },
)

__all__ = [
    "MOST_ROWS",
    "AnswerOrigins",
    "collection_page",
    "compare_fields",
    "find_entry",
    "full_entry",
    "journal_page",
    "list_apis",
    "list_collections",
    "list_methods",
    "propose_stub",
    "read_filter",
    "resource_layers",
    "summary",
]
