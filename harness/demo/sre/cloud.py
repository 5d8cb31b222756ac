"""One Google Cloud project through Google's own clients, over REST."""

from collections.abc import Iterator
from typing import Any

from google.cloud import errorreporting_v1beta1 as errorreporting
from google.cloud import logging, resourcemanager_v3, trace_v1
from google.oauth2.credentials import Credentials
from googleapiclient import discovery
from typing_extensions import override

from harness.demo.google import Access

JsonObject = dict[str, Any]

TIMEOUT_S = 30.0
_REST: dict[str, Any] = {"transport": "rest"}


class _LogReader(logging.Client):
    """Reads entries without asking a metadata server where it runs, which only writing needs."""

    @override
    def logger(self, name: str, **options: Any) -> Any:
        return super().logger(name, **options, resource=logging.Resource("global", {}))  # type: ignore[no-untyped-call]


class Cloud:
    """What can be read of a project, for one thread.

    Attributes:
        project: The project's id.
    """

    def __init__(self, access: Access, project: str) -> None:
        """Use the project.

        Args:
            access: Where Google is, and as whom to ask; without an endpoint Google itself, or
                whatever the environment's proxy leads to.
            project: Its id.
        """
        self.project = project
        self._access = access
        self._credentials = Credentials(token=access.token or "none")  # type: ignore[no-untyped-call]

    def projects(self) -> list[JsonObject]:
        """The projects that can be seen: id, number, state, labels."""
        client = resourcemanager_v3.ProjectsClient(**_REST, **self._of("cloudresourcemanager"))
        with client:
            found = client.search_projects(timeout=TIMEOUT_S, retry=None)
            return [_project(each) for each in found]

    def describe_project(self, project: str) -> JsonObject:
        """One project."""
        client = resourcemanager_v3.ProjectsClient(**_REST, **self._of("cloudresourcemanager"))
        with client:
            name = f"projects/{project}"
            return _project(client.get_project(name=name, timeout=TIMEOUT_S, retry=None))

    def entries(self, text: str, limit: int) -> list[JsonObject]:
        """The latest log entries that a filter of Cloud Logging picks."""
        connect: Any = _LogReader  # ships no types
        client = connect(project=self.project, _use_grpc=False, **self._of("logging"))
        newest = logging.DESCENDING
        found = client.list_entries(filter_=text, order_by=newest, max_results=limit)
        try:
            return [
                {"time": each.timestamp, "log": each.log_name, "payload": each.payload}
                for each in found
            ]
        finally:
            client.close()

    def promql(self, query: str) -> list[JsonObject]:
        """The instant vector that a PromQL query gives: `metric` and `value` of each series."""
        with self._monitoring("v1") as service:
            asked = service.projects().location().prometheus().api().v1()
            name = f"projects/{self.project}"
            answer = asked.query(name=name, location="global", body={"query": query})
            found: list[JsonObject] = answer.execute(num_retries=0)["data"]["result"]
        return [{"metric": each["metric"], "value": float(each["value"][1])} for each in found]

    def series(self, text: str, start: str, end: str) -> list[JsonObject]:
        """Time series that a filter of Cloud Monitoring picks, points newest first.

        Args:
            text: The filter.
            start: RFC 3339.
            end: RFC 3339.
        """
        with self._monitoring() as service:
            asked = service.projects().timeSeries()
            more = {"interval_startTime": start, "interval_endTime": end}
            name = f"projects/{self.project}"
            found = asked.list(name=name, filter=text, **more).execute(num_retries=0)
            return list(found.get("timeSeries", []))

    def alerts(self) -> list[JsonObject]:
        """Alerts that are open, newest first."""
        with self._monitoring() as service:
            parent = f"projects/{self.project}"
            asked = service.projects().alerts().list(parent=parent, filter='state="OPEN"')
            return list(asked.execute(num_retries=0).get("alerts", []))

    def error_groups(self) -> list[JsonObject]:
        """Groups of errors of the last day, most frequent first."""
        stats = errorreporting.ErrorStatsServiceClient
        with stats(**_REST, **self._of("clouderrorreporting")) as client:
            day = errorreporting.QueryTimeRange.Period.PERIOD_1_DAY
            request = {
                "project_name": f"projects/{self.project}",
                "time_range": {"period": day},
                "order": errorreporting.ErrorGroupOrder.COUNT_DESC,
            }
            found = client.list_group_stats(request, timeout=TIMEOUT_S, retry=None)
            return [_group(each) for each in found]

    def traces(self, text: str) -> list[JsonObject]:
        """Traces that a filter of Cloud Trace picks, with their spans."""
        service = trace_v1.TraceServiceClient
        with service(**_REST, **self._of("cloudtrace")) as client:
            whole = trace_v1.ListTracesRequest.ViewType.COMPLETE
            request = {"project_id": self.project, "view": whole, "filter": text}
            found = client.list_traces(request, timeout=TIMEOUT_S, retry=None)
            return [_trace(each) for each in found]

    def trace(self, trace: str) -> JsonObject:
        """One trace with its spans."""
        service = trace_v1.TraceServiceClient
        with service(**_REST, **self._of("cloudtrace")) as client:
            asked = {"project_id": self.project, "trace_id": trace}
            return _trace(client.get_trace(asked, timeout=TIMEOUT_S, retry=None))

    def _monitoring(self, version: str = "v3") -> Any:
        return discovery.build("monitoring", version, **self._of("monitoring"))

    def _of(self, api: str) -> dict[str, Any]:
        if not self._access.endpoint:
            return {"credentials": self._credentials}
        endpoint = f"{self._access.endpoint}/{api}.googleapis.com"
        return {"credentials": self._credentials, "client_options": {"api_endpoint": endpoint}}


def _project(found: Any) -> JsonObject:
    return {
        "projectId": found.project_id,
        "number": found.name.removeprefix("projects/"),
        "state": found.state.name,
        "labels": dict(found.labels),
    }


def _group(found: Any) -> JsonObject:
    message = found.representative.message
    return {
        "id": found.group.group_id,
        "count": found.count,
        "service": next((each.service for each in found.affected_services), ""),
        "error": _headline(message),
        "issues": [each.url for each in found.group.tracking_issues],
    }


def _headline(message: str) -> str:
    """The line of a stack trace that says what was raised: the last in Python, else the first."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return next(iter(lines[-1:] if lines and lines[0].startswith("Traceback") else lines), "")


def _trace(found: Any) -> JsonObject:
    return {"traceId": found.trace_id, "spans": list(map(_span, _in_time(found.spans)))}


def _in_time(spans: Any) -> Iterator[Any]:
    yield from sorted(spans, key=lambda span: span.start_time)


def _span(found: Any) -> JsonObject:
    return {
        "id": found.span_id,
        "parent": found.parent_span_id,
        "name": found.name,
        "seconds": (found.end_time - found.start_time).total_seconds(),
        "labels": dict(found.labels),
    }
