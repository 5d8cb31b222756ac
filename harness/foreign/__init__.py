"""Results of other tools, read as trials: what cannot be known of them is absent."""

from harness.foreign.formats import FORMATS, read_results
from harness.foreign.results import (
    ImportedResults,
    ImportedTrial,
    ReadOptions,
    assemble_run,
    columns_of,
)
from harness.foreign.source import SourceFile

__all__ = [
    "FORMATS",
    "ImportedResults",
    "ImportedTrial",
    "ReadOptions",
    "SourceFile",
    "assemble_run",
    "columns_of",
    "read_results",
]
