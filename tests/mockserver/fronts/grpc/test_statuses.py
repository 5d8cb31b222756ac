"""Errors as gRPC says them."""

from typing import Any

import grpc
import pytest
from google.protobuf import json_format
from google.rpc import error_details_pb2, status_pb2

from mockserver.fronts.grpc.statuses import DETAILS, status_of, trailers_of
from mockserver.googleapi import ApiError, bad_fields, not_emulated


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ApiError(400, ""), "INVALID_ARGUMENT"),
        (ApiError(401, ""), "UNAUTHENTICATED"),
        (ApiError(403, ""), "PERMISSION_DENIED"),
        (ApiError(404, ""), "NOT_FOUND"),
        (ApiError(409, ""), "ALREADY_EXISTS"),
        (ApiError(409, "", code_name="ABORTED"), "ABORTED"),
        (ApiError(412, ""), "FAILED_PRECONDITION"),
        (ApiError(429, ""), "RESOURCE_EXHAUSTED"),
        (ApiError(499, ""), "CANCELLED"),
        (ApiError(500, ""), "INTERNAL"),
        (ApiError(501, ""), "UNIMPLEMENTED"),
        (ApiError(503, ""), "UNAVAILABLE"),
        (ApiError(504, ""), "DEADLINE_EXCEEDED"),
        (ApiError(418, "", code_name="TEAPOT"), "INVALID_ARGUMENT"),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{value.status}{value.code_name}",
)
def test_every_error_has_a_canonical_status(error: ApiError, code: str) -> None:
    assert status_of(error)[0] is grpc.StatusCode[code]


def details(trailers: Any) -> list[Any]:
    status = status_pb2.Status.FromString(dict(trailers)[DETAILS])
    return [json_format.MessageToDict(each) for each in status.details]


def test_details_are_packed_by_their_types() -> None:
    error = bad_fields([("filter", "no")])
    trailers = trailers_of(error)
    assert details(trailers) == [dict(error.details[0])]
    status = status_pb2.Status.FromString(dict(trailers)[DETAILS])
    assert (status.code, status.message) == (3, "no")
    assert status.details[0].Is(error_details_pb2.BadRequest.DESCRIPTOR)


def test_details_of_unknown_types_are_left_out() -> None:
    unknown = {"@type": "type.googleapis.com/example.Unheard", "a": 1}
    assert trailers_of(ApiError(400, "no", details=[unknown])) == ()
    both = [unknown, *not_emulated("x.y").details]
    assert details(trailers_of(ApiError(501, "no", details=both)))[0]["metadata"] == {
        "method": "x.y"
    }


def test_headers_go_along_in_ascii_and_lower_case() -> None:
    error = ApiError(401, "no", headers={"WWW-Authenticate": "Bearer realm=\u00e9\nx"})
    assert trailers_of(error) == (("www-authenticate", "Bearer realm=? x"),)


def test_what_metadata_could_not_carry_is_cut() -> None:
    error = bad_fields([("f", "x" * 20_000)])
    assert len(status_of(error)[1]) == 4096
    assert trailers_of(error) == ()
