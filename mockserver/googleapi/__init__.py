"""How every Google API speaks, once; each module is loaded when something of it is taken."""

from typing import TYPE_CHECKING

from mockserver.lazy_names import lazy_names

if TYPE_CHECKING:
    from mockserver.googleapi.api import *
    from mockserver.googleapi.binding import *
    from mockserver.googleapi.call import *
    from mockserver.googleapi.catalog import *
    from mockserver.googleapi.channels import *
    from mockserver.googleapi.collections import *
    from mockserver.googleapi.contract import *
    from mockserver.googleapi.discovery import *
    from mockserver.googleapi.encoding import *
    from mockserver.googleapi.errors import *
    from mockserver.googleapi.file_access import *
    from mockserver.googleapi.filter_trees import *
    from mockserver.googleapi.filters import *
    from mockserver.googleapi.iam import *
    from mockserver.googleapi.list_rules import filter_rows as filter_rows
    from mockserver.googleapi.lists import *
    from mockserver.googleapi.masks import *
    from mockserver.googleapi.multipart import *
    from mockserver.googleapi.names import *
    from mockserver.googleapi.openapi import *
    from mockserver.googleapi.operations import *
    from mockserver.googleapi.profiles import *
    from mockserver.googleapi.raw_snapshot import *
    from mockserver.googleapi.routing import *
    from mockserver.googleapi.row_filters import *
    from mockserver.googleapi.scalars import *
    from mockserver.googleapi.signing import *

__getattr__ = lazy_names(
    __name__,
    {
        "api": "Api Collection LazyHandlers lazy_attribute lazy_import",
        "binding": (
            "BoundParameters DEEPEST ParameterBinder SystemParameters bind_body "
            "bind_system_parameters system_parameter_name"
        ),
        "call": (
            "ANONYMOUS Call Caller Conventions Download Handler Invoke LeftToConventionsError "
            "Media MediaKey"
        ),
        "catalog": "Catalog DocumentFolder installed_documents load_document",
        "channels": "Events close_channel notify_channels open_channel watch_address",
        "collections": (
            "READ_VERBS Referrer Resource Verb bare_etag by_parent crud_handlers etag find_row "
            "list_rows lists_etag require_fields require_row rows_under"
        ),
        "contract": "Contradiction find_contradictions",
        "discovery": "Document Method Parameter is_free_form parse_document",
        "encoding": "encode with_enum_numbers",
        "errors": (
            "ApiError Dialect PageAnswer bad_fields bad_request code_name duplicate envelope "
            "failed_precondition forbidden invalid not_emulated not_found not_honoured "
            "not_installed permission_denied precondition too_deep"
        ),
        "file_access": (
            "BY_GRANTEE ROLES caller_keys check_editor_file check_file file_role missing_file"
        ),
        "filter_trees": (
            "And Comparison Filter Function Leaf Not Or Text leaves matches_wildcards tree_test"
        ),
        "filters": "FilterError filter_test parse_filter",
        "iam": "IAM_POLICIES get_policy granted_permissions policy_handlers set_policy",
        "list_rules": "filter_rows",
        "lists": "PageRule each_of list_answer list_page order_rows page values_at",
        "masks": "Mask apply_mask apply_merge_patch parse_mask read_update_mask update_resource",
        "multipart": (
            "MultipartError Part boundary_of parse_headers parse_multipart split_head "
            "write_multipart"
        ),
        "names": "NamePattern is_under name_pattern nearest own_customer parent_of",
        "openapi": "openapi_of_api",
        "operations": (
            "cancel_operation delete_operation finished_operation get_operation list_operations "
            "location_handlers location_operation operations_below poll_operation "
            "start_known_operation start_operation"
        ),
        "profiles": "PROFILE_RULES ProfileRule forgives profile_table refuses",
        "raw_snapshot": (
            "OPERATION_POLLS OPERATION_SECONDS Rows SnapshotImport add_row bare_org_unit "
            "each_object json_kind named_rows org_units_by_path text_at"
        ),
        "routing": (
            "Match Router UPLOAD_VERBS batch_of download_path parameters_at_root upload_path"
        ),
        "row_filters": "filter_of row_test",
        "scalars": "camel_case duration_s",
        "signing": "Jwt SigningKey make_id_token make_jwt read_jwt share_signing_key signing_key",
    },
)
