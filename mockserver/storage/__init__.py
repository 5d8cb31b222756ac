"""Reading snapshots: files, layers, provenance."""

from mockserver.storage.layers import Layer, merged, overlay, patched, put_over
from mockserver.storage.provenance import Origin, origins, pointed_at
from mockserver.storage.reading import kind_of, read_json, read_object
from mockserver.storage.suites import Suite

__all__ = [
    "Layer",
    "Origin",
    "Suite",
    "kind_of",
    "merged",
    "origins",
    "overlay",
    "patched",
    "pointed_at",
    "put_over",
    "read_json",
    "read_object",
]
