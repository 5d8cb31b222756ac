"""The table of formats that results are read from.

To add one, write a module that recognises a file and reads it, and add its line here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from harness.errors import HarnessError
from harness.foreign import agent_traces, inspect_logs, junit, otel, promptfoo, tables
from harness.foreign.results import ImportedResults, ReadOptions
from harness.foreign.source import SourceFile
from mockserver.model import did_you_mean


@dataclass(frozen=True, slots=True)
class ResultFormat:
    """A format of results.

    Attributes:
        recognises: Whether a file is in it, by its content.
        read: Reads it; raises HarnessError for what it cannot read.
        about: What writes it.
    """

    recognises: Callable[[SourceFile], bool]
    read: Callable[[SourceFile, ReadOptions], ImportedResults]
    about: str


FORMATS: Mapping[str, ResultFormat] = {
    "inspect": ResultFormat(inspect_logs.recognises, inspect_logs.read, "logs of Inspect"),
    "promptfoo": ResultFormat(promptfoo.recognises, promptfoo.read, "results of promptfoo"),
    "otel": ResultFormat(otel.recognises, otel.read, "OpenTelemetry traces as OTLP JSON"),
    "traces": ResultFormat(
        agent_traces.recognises, agent_traces.read, "traces and transcripts of agents"
    ),
    "junit": ResultFormat(junit.recognises, junit.read, "JUnit XML"),
    "parquet": ResultFormat(tables.is_parquet, tables.read_parquet, "Parquet"),
    "csv": ResultFormat(tables.is_csv, tables.read_csv, "CSV"),
}
"""Name to format, in the order in which they are tried."""


def read_results(
    source: SourceFile, options: ReadOptions, format: str = ""
) -> tuple[str, ImportedResults]:
    """Read a file of results.

    Args:
        source: The file.
        options: What the user says about it.
        format: The name of its format; empty finds it out by the content.

    Returns:
        The name of the format, and the results.

    Raises:
        HarnessError: The file cannot be read, or nobody knows its format.
    """
    if format and format not in FORMATS:
        raise HarnessError(f"unknown format {format!r}", hint=did_you_mean(format, FORMATS))
    names = [format] if format else [n for n, each in FORMATS.items() if each.recognises(source)]
    if not names:
        known = ", ".join(each.about for each in FORMATS.values())
        raise source.error("is in no format of results that is known", f"known are {known}")
    return names[0], FORMATS[names[0]].read(source, options)
