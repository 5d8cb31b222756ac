"""How every Google API speaks, once."""

from mockserver.googleapi.api import Api, Collection, Import, Rows
from mockserver.googleapi.binding import Bound, bind_parameters, bind_system
from mockserver.googleapi.bodies import DEEPEST, bind_body
from mockserver.googleapi.call import ANONYMOUS, Call, Caller, Handler, Invoke
from mockserver.googleapi.catalog import Catalog
from mockserver.googleapi.customers import own_customer
from mockserver.googleapi.discovery import Document, Method, Parameter, parse_document
from mockserver.googleapi.encoding import encode
from mockserver.googleapi.errors import (
    ApiError,
    Dialect,
    bad_fields,
    code_name,
    duplicate,
    envelope,
    forbidden,
    invalid,
    not_emulated,
    not_found,
    permission_denied,
    precondition,
)
from mockserver.googleapi.etags import etag
from mockserver.googleapi.fields import Mask, apply_mask, parse_mask
from mockserver.googleapi.filters import (
    Comparison,
    Filter,
    FilterError,
    Function,
    Leaf,
    Text,
    holds,
    leaves,
    parse_filter,
)
from mockserver.googleapi.nearest import nearest
from mockserver.googleapi.paging import PageRule, page
from mockserver.googleapi.raw import (
    bare_org_unit,
    each_object,
    kind,
    org_units_by_path,
    text_at,
)
from mockserver.googleapi.routing import Match, Router
from mockserver.googleapi.system import System
from mockserver.googleapi.violations import bad_request, too_deep

__all__ = [
    "ANONYMOUS",
    "DEEPEST",
    "Api",
    "ApiError",
    "Bound",
    "Call",
    "Caller",
    "Catalog",
    "Collection",
    "Comparison",
    "Dialect",
    "Document",
    "Filter",
    "FilterError",
    "Function",
    "Handler",
    "Import",
    "Invoke",
    "Leaf",
    "Mask",
    "Match",
    "Method",
    "PageRule",
    "Parameter",
    "Router",
    "Rows",
    "System",
    "Text",
    "apply_mask",
    "bad_fields",
    "bad_request",
    "bare_org_unit",
    "bind_body",
    "bind_parameters",
    "bind_system",
    "code_name",
    "duplicate",
    "each_object",
    "encode",
    "envelope",
    "etag",
    "forbidden",
    "holds",
    "invalid",
    "kind",
    "leaves",
    "nearest",
    "not_emulated",
    "not_found",
    "org_units_by_path",
    "own_customer",
    "page",
    "parse_document",
    "parse_filter",
    "parse_mask",
    "permission_denied",
    "precondition",
    "text_at",
    "too_deep",
]
