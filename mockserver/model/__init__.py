"""The words of the mock server: frozen values that the harness speaks too."""

from mockserver.model.captures import Answered, Capture, Captures, Reshape, Shape
from mockserver.model.cassettes import (
    CASSETTE_VERSION,
    Cassette,
    CassetteInfo,
    Chunk,
    Ended,
    Header,
    Interaction,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.model.credentials import CREDENTIAL_KINDS, CredentialKind, CredentialsEnd
from mockserver.model.faults import Fault, FaultReport, Latency, Propagation, Rate
from mockserver.model.journal import Blame, Journal, JournalEntry, Miss, Source
from mockserver.model.nearest import did_you_mean
from mockserver.model.sessions import (
    Auth,
    Profile,
    Repeats,
    SessionInfo,
    SessionReport,
    SessionSpec,
    UnusedRecording,
)
from mockserver.model.values import Frozen, Json, JsonMapping, JsonObject

__all__ = [
    "CASSETTE_VERSION",
    "CREDENTIAL_KINDS",
    "Answered",
    "Auth",
    "Blame",
    "Capture",
    "Captures",
    "Cassette",
    "CassetteInfo",
    "Chunk",
    "CredentialKind",
    "CredentialsEnd",
    "Ended",
    "Fault",
    "FaultReport",
    "Frozen",
    "Header",
    "Interaction",
    "Journal",
    "JournalEntry",
    "Json",
    "JsonMapping",
    "JsonObject",
    "Latency",
    "Miss",
    "Profile",
    "Propagation",
    "Rate",
    "RecordedRequest",
    "RecordedResponse",
    "Repeats",
    "Reshape",
    "SessionInfo",
    "SessionReport",
    "SessionSpec",
    "Shape",
    "Source",
    "UnusedRecording",
    "did_you_mean",
]
