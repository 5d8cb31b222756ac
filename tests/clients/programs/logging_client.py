"""google-cloud-logging over gRPC: entries read and written, logs, and the low-level client.

Asks for the logs once more for each refusal that the argument expects, and tells them.
"""

import json
import sys
from typing import Any

import google.auth
from google.api_core.exceptions import GoogleAPICallError
from google.cloud import logging
from google.cloud.logging_v2.services.logging_service_v2 import LoggingServiceV2Client

WAIT_S = 120
ERRORS = 'resource.type="k8s_container" AND severity>=ERROR'


def main() -> None:
    credentials, project = google.auth.default()
    facts: dict[str, Any] = {"written": write_and_read(credentials)}
    client = LoggingServiceV2Client(credentials=credentials)
    request: dict[str, Any] = {
        "resource_names": [f"projects/{project}"],
        "filter": ERRORS,
        "order_by": "timestamp desc",
        "page_size": 10,
    }
    first = next(iter(client.list_log_entries(request, retry=None, timeout=WAIT_S).pages))
    times = [entry.timestamp for entry in first.entries]
    facts["newest first"] = times == sorted(times, reverse=True)
    facts["entries"] = len(times)
    facts["nanoseconds"] = any(time.nanosecond % 1000 for time in times)
    parent = f"projects/{project}"
    facts["logs"] = len(list(client.list_logs(parent=parent, retry=None, timeout=WAIT_S)))
    facts["descriptors"] = bool(
        list(client.list_monitored_resource_descriptors({}, retry=None, timeout=WAIT_S))
    )
    facts["refusals"] = refusals(client, project, int(sys.argv[1]))
    json.dump(facts, sys.stdout)


def write_and_read(credentials: Any) -> list[str]:
    client: Any = logging.Client(credentials=credentials)  # type: ignore[no-untyped-call]
    client.logger("deploys").log_text("deployed by hand", severity="NOTICE")
    entries = client.list_entries(filter_='log_id("deploys")')
    return [entry.payload for entry in entries if isinstance(entry.payload, str)]


def refusals(client: LoggingServiceV2Client, project: Any, times: int) -> list[list[Any]]:
    told = []
    for _ in range(times):
        try:
            name = f"projects/{project}/logs/nothing"
            client.delete_log(log_name=name, retry=None, timeout=WAIT_S)
        except GoogleAPICallError as error:
            told.append([type(error).__name__, error.code])
    return told


if __name__ == "__main__":
    main()
