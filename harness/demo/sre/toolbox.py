"""The tools of the agent: each call is noted as it is made."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from google.api_core.exceptions import GoogleAPICallError
from googleapiclient.errors import HttpError

from harness.demo.sre.analysis import duration, hotspot
from harness.demo.sre.cloud import Cloud
from harness.demo.sre.flaws import NO_FLAWS, SreFlaws

JsonObject = dict[str, Any]
Clock = Callable[[], datetime]

_METRICS = frozenset({"query_promql", "list_time_series"})
_ELSEWHERE = frozenset({"trace_analyzer", "list_error_groups", "list_alerts"})
_REFUSED = (GoogleAPICallError, HttpError)


class ToolFailedError(Exception):
    """Google refused what a tool asked for."""


@dataclass
class Use:
    """A call of a tool.

    Attributes:
        name: The tool.
        args: What it was called with.
        status: How it went.
        result: What it gave, as JSON.
    """

    name: str
    args: JsonObject
    status: Literal["ok", "error"] = "ok"
    result: Any = None


@dataclass
class Toolbox:
    """What an agent can do.

    Attributes:
        cloud: The project.
        now: The time of day.
        flaws: What the agent does badly.
        uses: The calls so far, in order.
    """

    cloud: Cloud
    now: Clock
    flaws: SreFlaws = NO_FLAWS
    uses: list[Use] = field(default_factory=list)

    def get_current_time(self) -> str:
        """The time of day, to the second."""
        return str(self._use("get_current_time", {}, lambda: f"{self.now():%Y-%m-%d %H:%M:%S}"))

    def list_projects(self) -> list[JsonObject]:
        """The projects that can be seen."""
        return self._listed("list_projects", {}, self.cloud.projects)

    def get_project(self, project: str) -> JsonObject:
        """One project; an empty one when it was not asked for."""
        args = {"project_id": project}
        found = self._use("get_project", args, lambda: self.cloud.describe_project(project))
        return dict(found or {})

    def list_log_entries(self, text: str, limit: int = 20) -> list[JsonObject]:
        """The latest log entries that a filter picks."""
        args = {"filter": text, "limit": limit}
        return self._listed("list_log_entries", args, lambda: self.cloud.entries(text, limit))

    def query_promql(self, query: str) -> list[JsonObject]:
        """The series of a PromQL query, each with its latest value."""
        return self._listed("query_promql", {"query": query}, lambda: self.cloud.promql(query))

    def list_time_series(self, text: str, minutes: int) -> list[JsonObject]:
        """The series of the last minutes that a filter picks."""
        end = self.now()
        times = [f"{each:%Y-%m-%dT%H:%M:%SZ}" for each in (end - timedelta(minutes=minutes), end)]
        args = {"filter": text, "minutes": minutes}
        return self._listed(
            "list_time_series",
            args,
            lambda: self.cloud.series(text, *times),
        )

    def list_alerts(self) -> list[JsonObject]:
        """Alerts that are open."""
        return self._listed("list_alerts", {}, self.cloud.alerts)

    def list_error_groups(self) -> list[JsonObject]:
        """Reported errors of the last day, grouped."""
        return self._listed("list_error_groups", {}, self.cloud.error_groups)

    def trace_analyzer(self, root: str, seconds: float) -> list[JsonObject]:
        """Where slow traces spend their time: one finding a trace, slowest first."""
        text = f"root:{root} latency:{seconds:g}s"

        def analyze() -> list[JsonObject]:
            slow = sorted(self.cloud.traces(text), key=duration, reverse=True)
            found = ((trace, hotspot(trace)) for trace in slow)
            return [
                {
                    "traceId": trace["traceId"],
                    "seconds": duration(trace),
                    "service": spot.service,
                    "span": spot.name,
                    "share": round(spot.share, 3),
                }
                for trace, spot in found
                if spot is not None
            ]

        return self._listed("trace_analyzer", {"root": root, "min_seconds": seconds}, analyze)

    def get_trace(self, trace: str) -> JsonObject:
        """One trace; an empty one when it was not asked for."""
        return dict(
            self._use("get_trace", {"trace_id": trace}, lambda: self.cloud.trace(trace)) or {}
        )

    def _listed(
        self, name: str, args: JsonObject, ask: Callable[[], list[JsonObject]]
    ) -> list[JsonObject]:
        return list(self._use(name, args, ask) or [])

    def _use(self, name: str, args: JsonObject, ask: Callable[[], Any]) -> Any:
        if name in _METRICS and self.flaws.crashes:
            raise RuntimeError("the metrics backend of this agent fell over")
        if name in _METRICS and self.flaws.skips_tool:
            return None
        if name in _ELSEWHERE and self.flaws.wrong_tool:
            self.list_log_entries("severity>=ERROR")
            return None
        use = Use(name, args)
        self.uses.append(use)
        try:
            found = ask()
        except _REFUSED as error:
            use.status, use.result = "error", {"error": str(error)[:500]}
            raise ToolFailedError(f"{name} failed: {str(error)[:200]}") from error
        use.result = {"items": len(found)} if isinstance(found, list) else found
        return found
