"""How every Google API speaks, once."""

from mockserver.googleapi.api import Api, Collection, Import, Rows
from mockserver.googleapi.call import ANONYMOUS, Call, Caller, Handler, Invoke
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
from mockserver.googleapi.paging import PageRule, page

__all__ = [
    "ANONYMOUS",
    "Api",
    "ApiError",
    "Call",
    "Caller",
    "Collection",
    "Dialect",
    "Handler",
    "Import",
    "Invoke",
    "PageRule",
    "Rows",
    "bad_fields",
    "code_name",
    "duplicate",
    "envelope",
    "forbidden",
    "invalid",
    "not_emulated",
    "not_found",
    "page",
    "permission_denied",
    "precondition",
]
