"""Emulates the metadata server of a machine that the session's service account runs on."""

from mockserver.apis.metadata.paths import (
    METADATA,
    METADATA_HOSTS,
    MetadataAnswer,
    method_of,
    read_path,
)

__all__ = ["METADATA", "METADATA_HOSTS", "MetadataAnswer", "method_of", "read_path"]
