"""Refusals in BigQuery's words: its reasons, and the status that each of them has."""

from dataclasses import dataclass

from mockserver.googleapi import ApiError
from mockserver.model import JsonObject, Miss

_STATUS = {
    "notFound": (404, "NOT_FOUND"),
    "duplicate": (409, "ALREADY_EXISTS"),
    "accessDenied": (403, "PERMISSION_DENIED"),
    "responseTooLarge": (403, "PERMISSION_DENIED"),
    "conditionNotMet": (412, "FAILED_PRECONDITION"),
    "notImplemented": (501, "UNIMPLEMENTED"),
}
"""Reason to HTTP status and canonical code; all others are 400."""


@dataclass
class QueryError(Exception):
    """Why a job fails.

    Attributes:
        reason: The service's reason, `invalidQuery`.
        message: Its sentence.
        location: What it is about; `query` for a text.
        miss: Set where the service could do what this server cannot.
    """

    reason: str
    message: str
    location: str = ""
    miss: Miss | None = None

    def as_json(self) -> JsonObject:
        """The error as jobs have it (`errorResult`)."""
        found: JsonObject = {"reason": self.reason, "message": self.message}
        return {**found, "location": self.location} if self.location else found

    def as_api_error(self) -> ApiError:
        """The error as a method answers it."""
        status, code = _STATUS.get(self.reason, (400, "INVALID_ARGUMENT"))
        return ApiError(
            status, self.message, reason=self.reason, code_name=code, location=self.location,
            location_type="parameter" if self.location else "", miss=self.miss,
        )  # fmt: skip


def invalid_query(message: str, *, emulated: bool = True) -> QueryError:
    """A text that cannot be run; `emulated` is whether the service would refuse it, too."""
    miss = None if emulated else Miss(blame="not_emulated", reason=message)
    return QueryError("invalidQuery", message, "query", miss)


def refusal(reason: str, message: str) -> ApiError:
    """An error of a method, by the service's reason."""
    return QueryError(reason, message).as_api_error()


def missing(noun: str, name: str) -> ApiError:
    """404: `Not found: Table project:dataset.table`."""
    found = refusal("notFound", f"Not found: {noun} {name}")
    found.miss = Miss(blame="fixture_gap", reason=f"no {name!r} in this session")
    return found


def existing(noun: str, name: str) -> ApiError:
    """409: `Already Exists: Dataset project:dataset`."""
    return refusal("duplicate", f"Already Exists: {noun} {name}")
