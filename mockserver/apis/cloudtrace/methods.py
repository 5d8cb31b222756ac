"""Methods of Cloud Trace, versions 1 and 2: Discovery id to handler."""

from collections.abc import Mapping

from mockserver.apis.cloudtrace.reading import get_trace, list_traces
from mockserver.apis.cloudtrace.writing import batch_write, create_span, patch_traces
from mockserver.googleapi import Handler

HANDLERS: Mapping[str, Handler] = {
    "cloudtrace.projects.traces.list": list_traces,
    "cloudtrace.projects.traces.get": get_trace,
    "cloudtrace.projects.patchTraces": patch_traces,
    "cloudtrace.projects.traces.batchWrite": batch_write,
    "cloudtrace.projects.traces.spans.createSpan": create_span,
}
