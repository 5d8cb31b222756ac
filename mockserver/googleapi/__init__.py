"""How every Google API speaks, once."""

from mockserver.googleapi.api import Api, Collection, Import, LazyHandlers, Rows, lazy
from mockserver.googleapi.binding import Bound, bind_parameters, bind_system
from mockserver.googleapi.bodies import DEEPEST, bind_body
from mockserver.googleapi.call import ANONYMOUS, Call, Caller, Handler, Invoke, Media
from mockserver.googleapi.catalog import Catalog
from mockserver.googleapi.contract import Contradiction, contradictions
from mockserver.googleapi.crud import crud_handlers
from mockserver.googleapi.customers import own_customer
from mockserver.googleapi.discovery import (
    Document,
    Method,
    Parameter,
    is_free_form,
    parse_document,
)
from mockserver.googleapi.documents import DocumentFolder, installed_documents, load_document
from mockserver.googleapi.encoding import encode
from mockserver.googleapi.enums import with_enum_numbers
from mockserver.googleapi.errors import (
    ApiError,
    Dialect,
    PageAnswer,
    bad_fields,
    code_name,
    duplicate,
    envelope,
    forbidden,
    invalid,
    not_emulated,
    not_found,
    not_honoured,
    permission_denied,
    precondition,
)
from mockserver.googleapi.etags import etag
from mockserver.googleapi.fields import Mask, apply_mask, parse_mask
from mockserver.googleapi.filters import (
    And,
    Comparison,
    Filter,
    FilterError,
    Function,
    Leaf,
    Not,
    Or,
    Text,
    holds,
    leaves,
    parse_filter,
)
from mockserver.googleapi.frontpaths import UPLOAD_VERBS, batch_of, download_path, upload_path
from mockserver.googleapi.iam import POLICIES as IAM_POLICIES
from mockserver.googleapi.iam import get_policy, granted_permissions, set_policy
from mockserver.googleapi.jwts import Jwt, make_id_token, make_jwt, read_jwt
from mockserver.googleapi.locations import get_location, list_locations
from mockserver.googleapi.multipart import (
    MultipartError,
    Part,
    boundary_of,
    parse_headers,
    parse_multipart,
    split_head,
    write_multipart,
)
from mockserver.googleapi.names import NamePattern, is_under, name_pattern, parent_of
from mockserver.googleapi.nearest import nearest
from mockserver.googleapi.operations import POLLS as OPERATION_POLLS
from mockserver.googleapi.operations import (
    cancel_operation,
    delete_operation,
    done,
    get_operation,
    list_operations,
    operations_below,
    poll_operation,
    start_operation,
)
from mockserver.googleapi.ordering import ordered
from mockserver.googleapi.paging import PageRule, page, page_of
from mockserver.googleapi.profiles import RULES as PROFILE_RULES
from mockserver.googleapi.profiles import Rule, forgives, profile_table, refuses
from mockserver.googleapi.raw import (
    add_row,
    bare_org_unit,
    each_object,
    kind,
    named_rows,
    org_units_by_path,
    text_at,
)
from mockserver.googleapi.resources import Resource, Verb
from mockserver.googleapi.routing import Match, Router
from mockserver.googleapi.rowfilters import filter_of, row_test, values_at
from mockserver.googleapi.rows import find_row, list_rows, rows_under
from mockserver.googleapi.scalars import camel
from mockserver.googleapi.signing import SigningKey, signing_key
from mockserver.googleapi.system import System, system_name
from mockserver.googleapi.templates import at_root
from mockserver.googleapi.updatemasks import read_update_mask, updated
from mockserver.googleapi.violations import bad_request, too_deep
from mockserver.googleapi.wildcards import alike

__all__ = [
    "ANONYMOUS",
    "DEEPEST",
    "IAM_POLICIES",
    "OPERATION_POLLS",
    "PROFILE_RULES",
    "UPLOAD_VERBS",
    "And",
    "Api",
    "ApiError",
    "Bound",
    "Call",
    "Caller",
    "Catalog",
    "Collection",
    "Comparison",
    "Contradiction",
    "Dialect",
    "Document",
    "DocumentFolder",
    "Filter",
    "FilterError",
    "Function",
    "Handler",
    "Import",
    "Invoke",
    "Jwt",
    "LazyHandlers",
    "Leaf",
    "Mask",
    "Match",
    "Media",
    "Method",
    "MultipartError",
    "NamePattern",
    "Not",
    "Or",
    "PageAnswer",
    "PageRule",
    "Parameter",
    "Part",
    "Resource",
    "Router",
    "Rows",
    "Rule",
    "SigningKey",
    "System",
    "Text",
    "Verb",
    "add_row",
    "alike",
    "apply_mask",
    "at_root",
    "bad_fields",
    "bad_request",
    "bare_org_unit",
    "batch_of",
    "bind_body",
    "bind_parameters",
    "bind_system",
    "boundary_of",
    "camel",
    "cancel_operation",
    "code_name",
    "contradictions",
    "crud_handlers",
    "delete_operation",
    "done",
    "download_path",
    "duplicate",
    "each_object",
    "encode",
    "envelope",
    "etag",
    "filter_of",
    "find_row",
    "forbidden",
    "forgives",
    "get_location",
    "get_operation",
    "get_policy",
    "granted_permissions",
    "holds",
    "installed_documents",
    "invalid",
    "is_free_form",
    "is_under",
    "kind",
    "lazy",
    "leaves",
    "list_locations",
    "list_operations",
    "list_rows",
    "load_document",
    "make_id_token",
    "make_jwt",
    "name_pattern",
    "named_rows",
    "nearest",
    "not_emulated",
    "not_found",
    "not_honoured",
    "operations_below",
    "ordered",
    "org_units_by_path",
    "own_customer",
    "page",
    "page_of",
    "parent_of",
    "parse_document",
    "parse_filter",
    "parse_headers",
    "parse_mask",
    "parse_multipart",
    "permission_denied",
    "poll_operation",
    "precondition",
    "profile_table",
    "read_jwt",
    "read_update_mask",
    "refuses",
    "row_test",
    "rows_under",
    "set_policy",
    "signing_key",
    "split_head",
    "start_operation",
    "system_name",
    "text_at",
    "too_deep",
    "updated",
    "upload_path",
    "values_at",
    "with_enum_numbers",
    "write_multipart",
]
