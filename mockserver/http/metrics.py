"""Figures of a server for Prometheus: requests, faults, misses, durations, sessions, journals.

Labels are bounded: no session, path, host or value of a client becomes one.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mockserver.errors import require_extra
from mockserver.sessions.journal import Entry
from mockserver.sessions.session import Sessions

if TYPE_CHECKING:
    from prometheus_client.core import Metric

_BUCKETS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_MOST_METHODS = 500
"""Methods with a label of their own; clients choose names of tools, and further ones are one."""

OTHER = "other"
NO_METHOD = "unknown"


class RequestMetrics:
    """Counts the requests of all sessions, from when it is made.

    Args:
        sessions: The sessions.

    Raises:
        MissingExtraError: The extra `metrics` is not installed.
    """

    def __init__(self, sessions: Sessions) -> None:
        require_extra("metrics", "--metrics needs", {"prometheus_client": "prometheus-client"})
        from prometheus_client import CollectorRegistry, Counter, Histogram

        self._sessions = sessions
        self._methods: dict[str, tuple[str, str]] = {}
        self._registry = registry = CollectorRegistry()
        self._requests = Counter(
            "understudy_requests",
            "Requests that sessions were asked.",
            ("api", "method", "status", "source"),
            registry=registry,
        )
        self._durations = Histogram(
            "understudy_request_duration_seconds",
            "Time inside the server, with delays that faults make.",
            ("api",),
            buckets=_BUCKETS_S,
            registry=registry,
        )
        self._faults = Counter(
            "understudy_faults", "Requests that a fault answered.", ("api",), registry=registry
        )
        self._misses = Counter(
            "understudy_misses",
            "Requests that nothing in their session could answer, by whose fault it is.",
            ("blame",),
            registry=registry,
        )
        registry.register(self)
        sessions.observe(self.note)

    def note(self, _session: str, entry: Entry) -> None:
        """Count a request."""
        labels = self._methods.get(entry.method_id)
        if labels is None:
            labels = self._labels_of(entry.method_id)
        self._requests.labels(*labels, str(entry.status), entry.source).inc()
        self._durations.labels(labels[0]).observe(entry.duration_ms / 1000)
        if entry.fault:
            self._faults.labels(labels[0]).inc()
        if entry.miss is not None:
            self._misses.labels(entry.miss.blame).inc()

    def _labels_of(self, method_id: str) -> tuple[str, str]:
        """API and method of a method id; of further ones than there is room for, `other`."""
        if len(self._methods) >= _MOST_METHODS:
            return OTHER, OTHER
        labels = (method_id.partition(".")[0] or NO_METHOD, method_id or NO_METHOD)
        self._methods[method_id] = labels
        return labels

    def collect(self) -> "Iterator[Metric]":
        """What is counted when somebody asks: sessions and journals.

        Yields:
            Gauges.
        """
        from prometheus_client.core import GaugeMetricFamily

        opened = self._sessions.all()
        journals = [each.journal for each in opened if "journal" in vars(each)]
        for name, about, value in (
            ("sessions", "Open sessions.", len(opened)),
            ("journal_entries", "Entries of their journals.", sum(map(len, journals))),
            (
                "journal_bytes",
                "What their journals are reckoned to hold.",
                sum(each.held_bytes for each in journals),
            ),
        ):
            yield GaugeMetricFamily(f"understudy_{name}", about, value=value)

    def page(self) -> tuple[str, bytes]:
        """The media type and the text that Prometheus reads."""
        from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

        return CONTENT_TYPE_LATEST, generate_latest(self._registry)
