"""google-cloud-trace over gRPC: traces found by a filter, and one of them whole.

Asks for it once more for each refusal that the argument expects, and tells them.
"""

import json
import sys
from typing import Any

import google.auth
from google.api_core.exceptions import GoogleAPICallError
from google.cloud import trace_v1

PLAIN: dict[str, Any] = {"retry": None, "timeout": 120}


def main() -> None:
    credentials, project = google.auth.default()
    client = trace_v1.TraceServiceClient(credentials=credentials)
    view = trace_v1.ListTracesRequest.ViewType.ROOTSPAN
    request = {"project_id": project, "filter": "latency:10ms", "view": view, "page_size": 5}
    found = next(iter(client.list_traces(request, **PLAIN).pages)).traces
    whole = client.get_trace(project_id=project, trace_id=found[0].trace_id, **PLAIN)
    facts: dict[str, Any] = {
        "traces": len(found),
        "spans": len(whole.spans) >= len(found[0].spans) == 1,
    }
    told = []
    for _ in range(int(sys.argv[1])):
        try:
            client.patch_traces(project_id=project, traces=trace_v1.Traces(), **PLAIN)
        except GoogleAPICallError as error:
            told.append([type(error).__name__, error.code])
    json.dump({**facts, "refusals": told}, sys.stdout)


if __name__ == "__main__":
    main()
