"""google-cloud-error-reporting over gRPC: an exception reported, groups and events read.

Asks for a group once more for each refusal that the argument expects, and tells them.
"""

import json
import sys
from typing import Any

import google.auth
from google.api_core.exceptions import GoogleAPICallError
from google.cloud import errorreporting_v1beta1 as errors

PLAIN: dict[str, Any] = {"retry": None, "timeout": 120}


def main() -> None:
    credentials, project = google.auth.default()
    name = f"projects/{project}"
    stats = errors.ErrorStatsServiceClient(credentials=credentials)
    groups = errors.ErrorGroupServiceClient(credentials=credentials)
    period = {"period": errors.QueryTimeRange.Period.PERIOD_1_DAY}
    request: dict[str, Any] = {"project_name": name, "time_range": period}
    found = list(stats.list_group_stats(request, **PLAIN))
    request["group_id"] = found[0].group.group_id
    events = list(stats.list_events(request, **PLAIN))
    reporter = errors.ReportErrorsServiceClient(credentials=credentials)
    event: Any = {
        "message": "Traceback (most recent call last):\n  File 'a.py', line 1\nKeyError: 'b'",
        "service_context": {"service": "checkout"},
    }
    reporter.report_error_event(project_name=name, event=event, **PLAIN)
    facts: dict[str, Any] = {
        "groups": len(found),
        "events": len(events) == found[0].count,
        "name": groups.get_group(group_name=found[0].group.name, **PLAIN) == found[0].group,
    }
    told = []
    for _ in range(int(sys.argv[1])):
        try:
            stats.delete_events(project_name=name, **PLAIN)
        except GoogleAPICallError as error:
            told.append([type(error).__name__, error.code])
    json.dump({**facts, "refusals": told}, sys.stdout)


if __name__ == "__main__":
    main()
