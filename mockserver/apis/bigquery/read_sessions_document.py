"""The document of the Storage Read API, whose calls are over gRPC alone.

Source: reference of google.cloud.bigquery.storage.v1.
"""

from collections.abc import Mapping

from mockserver.googleapi.resource_documents import document_head
from mockserver.model import JsonObject

READ = "bigquerystorage.projects"
"""What the ids of its methods begin with."""

_SERVICE = "google.cloud.bigquery.storage.v1.BigQueryRead"
_TEXT: JsonObject = {"type": "string"}
_OBJECT: JsonObject = {"type": "object", "additionalProperties": {"type": "any"}}
_NUMBER: JsonObject = {"type": "integer", "format": "int32"}
_LONG: JsonObject = {"type": "string", "format": "int64"}
_STREAM = "^projects/[^/]+/locations/[^/]+/sessions/[^/]+/streams/[^/]+$"


def _method(name: str, verb: str, told: str, pattern: str, words: str) -> JsonObject:
    own = verb[:1].upper() + verb[1:]
    answer = "ReadSession" if verb == "createReadSession" else f"{own}Response"
    return {
        "id": f"{READ}.{verb}",
        "description": f"{words} Over gRPC alone.",
        "httpMethod": "POST",
        "path": f"{_SERVICE}/{{+{name}}}:{verb}",
        "parameters": {
            name: {"type": "string", "location": "path", "required": True, "pattern": pattern}
        },
        "request": {"$ref": f"{told}Request"},
        "response": {"$ref": answer},
        "scopes": [
            "https://www.googleapis.com/auth/bigquery",
            "https://www.googleapis.com/auth/cloud-platform",
        ],
    }


_SCHEMAS: Mapping[str, Mapping[str, JsonObject]] = {
    "CreateReadSessionRequest": {
        "readSession": _OBJECT, "maxStreamCount": _NUMBER, "preferredMinStreamCount": _NUMBER,
    },
    "ReadRowsRequest": {"offset": _LONG},
    "ReadRowsResponse": {
        "rowCount": _LONG, "stats": _OBJECT, "avroRows": _OBJECT, "arrowRecordBatch": _OBJECT,
        "avroSchema": _OBJECT, "arrowSchema": _OBJECT,
    },
    "SplitReadStreamRequest": {"fraction": {"type": "number", "format": "double"}},
    "SplitReadStreamResponse": {"primaryStream": _OBJECT, "remainderStream": _OBJECT},
    "ReadSession": {
        "name": _TEXT, "expireTime": _TEXT, "dataFormat": _TEXT, "table": _TEXT,
        "streams": {"type": "array", "items": _OBJECT}, "readOptions": _OBJECT,
        "avroSchema": _OBJECT, "arrowSchema": _OBJECT, "estimatedRowCount": _LONG,
        "estimatedTotalBytesScanned": _LONG, "traceId": _TEXT, "tableModifiers": _OBJECT,
    },
}  # fmt: skip

STORAGE_READ: JsonObject = {
    **document_head(
        "bigquerystorage", "v1", "BigQuery Storage API", "bigquerystorage.googleapis.com"
    ),
    "resources": {"projects": {"methods": {
        "createReadSession": _method(
            "parent", "createReadSession", "CreateReadSession", "^projects/[^/]+$",
            "Makes a session that reads the rows of a table.",
        ),
        "readRows": _method(
            "readStream", "readRows", "ReadRows", _STREAM, "Streams the rows of one stream."
        ),
        "splitReadStream": _method(
            "name", "splitReadStream", "SplitReadStream", _STREAM, "Splits a stream in two."
        ),
    }}},
    "schemas": {
        name: {"id": name, "type": "object", "properties": fields}
        for name, fields in _SCHEMAS.items()
    },
}  # fmt: skip
"""Calls that no Discovery document has."""
