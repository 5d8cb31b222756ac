"""Recordings of other tools: HAR, vcrpy, Ruby's VCR, WireMock, Hoverfly, nock and others."""

from mockserver.cassettes.files.values import MisplacedError
from mockserver.cassettes.foreign.common import (
    ImportedRecording,
    Source,
    import_items,
    with_places,
)
from mockserver.cassettes.foreign.formats import FORMATS, RecordingFormat, read_foreign
from mockserver.cassettes.foreign.har import har_of

__all__ = [
    "FORMATS",
    "ImportedRecording",
    "MisplacedError",
    "RecordingFormat",
    "Source",
    "har_of",
    "import_items",
    "read_foreign",
    "with_places",
]
