"""Recordings of other tools: HAR, vcrpy, Ruby's VCR, WireMock, Hoverfly, nock and others."""

from mockserver.cassettes.foreign.formats import FORMATS, NAMES, read_foreign
from mockserver.cassettes.foreign.har import har_of

__all__ = ["FORMATS", "NAMES", "har_of", "read_foreign"]
