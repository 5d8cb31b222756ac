"""JSON patches (RFC 6902): changes of a row that a request describes step by step."""

from copy import deepcopy

import jsonpatch
import jsonpointer
import orjson

from mockserver.declared.errors import refusal
from mockserver.googleapi import ApiError
from mockserver.model import Json, JsonObject, shortened

_MOST = 1000
"""Operations of one patch."""

_LARGEST = 4 * 1024 * 1024
"""Bytes that a patch may make of a row by copying."""


def json_patched(row: JsonObject, operations: Json) -> JsonObject:
    """A row with a JSON patch applied, wholly or not at all (RFC 6902).

    Raises:
        ApiError: 400: it is no patch; 409: a test in it fails, or it names what is not there.
    """
    if not isinstance(operations, list):
        raise refusal(400, "A JSON patch is an array of operations.")
    if len(operations) > _MOST:
        raise refusal(400, f"A JSON patch of more than {_MOST} operations is not taken.")
    made: Json = deepcopy(row)
    try:
        for operation in operations:
            made = jsonpatch.JsonPatch([operation]).apply(made, in_place=True)
            # what is copied into itself doubles each time
            if operation.get("op") == "copy" and len(orjson.dumps(made)) > _LARGEST:
                raise refusal(400, "The JSON patch makes too much of the resource.")
    except jsonpatch.JsonPatchTestFailed as error:
        raise _patch_failure(error) from error
    except (jsonpatch.JsonPatchConflict, jsonpointer.JsonPointerException) as error:
        raise _patch_failure(error) from error
    except (jsonpatch.JsonPatchException, TypeError, ValueError, KeyError, AttributeError) as error:
        raise refusal(400, f"The JSON patch is not valid: {shortened(str(error))}") from error
    if not isinstance(made, dict):
        raise refusal(400, "The JSON patch leaves no object.")
    return made


def _patch_failure(error: Exception) -> ApiError:
    return refusal(409, f"The JSON patch cannot be applied: {shortened(str(error))}")
