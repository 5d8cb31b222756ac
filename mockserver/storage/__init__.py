"""Reading snapshots: files, layers, provenance."""

from mockserver.storage.layers import Layer, merged, overlay, patched, put_over
from mockserver.storage.provenance import Origin, Provenance, origins, pointed_at
from mockserver.storage.suites import Suite
from mockserver.storage.untrusted_json import kind_of, long_integer, read_json, read_object

__all__ = [
    "Layer",
    "Origin",
    "Provenance",
    "Suite",
    "kind_of",
    "long_integer",
    "merged",
    "origins",
    "overlay",
    "patched",
    "pointed_at",
    "put_over",
    "read_json",
    "read_object",
]
