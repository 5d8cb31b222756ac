"""Reading snapshots: files, layers, provenance."""

from mockserver.storage.layers import (
    Layer,
    apply_layer,
    apply_patch_operation,
    merge_layers,
    overlay,
)
from mockserver.storage.provenance import Origin, Provenance, origins, resolve_pointer
from mockserver.storage.suites import APIS, MODELS, Suite, suite_files
from mockserver.storage.untrusted_json import kind_of, long_integer, read_json, read_object

__all__ = [
    "APIS",
    "MODELS",
    "Layer",
    "Origin",
    "Provenance",
    "Suite",
    "apply_layer",
    "apply_patch_operation",
    "kind_of",
    "long_integer",
    "merge_layers",
    "origins",
    "overlay",
    "read_json",
    "read_object",
    "resolve_pointer",
    "suite_files",
]
