"""Exports of tracing tools and transcripts of agents, read as spans; pure.

Each module recognises a record of its format, a line or an item of a file, and reads the spans that
it tells of. Those of one trace may stand in several records.
"""

from mockserver.traces.foreign.formats import FORMATS, TraceFormat, format_of, records_in

__all__ = ["FORMATS", "TraceFormat", "format_of", "records_in"]
