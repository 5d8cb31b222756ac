"""What a session did and holds, as people look at it: requests, origins of fields, layers, methods.

Nothing here runs while a request of an emulated API is answered.
"""

from typing import TYPE_CHECKING

from mockserver.lazy_names import lazy_names

if TYPE_CHECKING:
    from mockserver.inspection.fixtures import *
    from mockserver.inspection.journal import *
    from mockserver.inspection.layers import *
    from mockserver.inspection.methods import *
    from mockserver.inspection.provenance import *
    from mockserver.inspection.stubs import *

__getattr__ = lazy_names(
    __name__,
    {
        "fixtures": "fixture_fields",
        "journal": "find_entry full_entry journal_page read_filter summary",
        "layers": "MOST_ROWS collection_page compare_fields list_collections resource_layers",
        "methods": "list_apis list_methods",
        "provenance": "AnswerOrigins",
        "stubs": "propose_stub",
    },
)
