"""App Hub's long-running operations."""

from collections.abc import Callable

from mockserver.googleapi import Call, Verb, done, start_operation
from mockserver.model import JsonObject
from mockserver.state import rfc3339

_TYPE = "type.googleapis.com/google.cloud.apphub.v1."


def operation(kind: str) -> Callable[[Call, Verb, JsonObject], JsonObject]:
    """How writes of a kind of resource answer: an operation in the resource's location."""

    def answer(call: Call, verb: Verb, row: JsonObject) -> JsonObject:
        place = "/".join(row["name"].split("/")[:4])
        name = f"{place}/operations/operation-{call.world.ids.hex('operation', 32)}"
        now = rfc3339(call.world.clock.now())
        finished = done(name, None if verb == "delete" else row, f"{_TYPE}{kind}")
        metadata = {
            "@type": f"{_TYPE}OperationMetadata",
            "createTime": now,
            "target": row["name"],
            "verb": "update" if verb == "patch" else verb,
            "requestedCancellation": False,
            "apiVersion": "v1",
        }
        outcome = {**finished, "metadata": {**metadata, "endTime": now}}
        return start_operation(call, name, outcome, {"name": name, "metadata": metadata})

    return answer
