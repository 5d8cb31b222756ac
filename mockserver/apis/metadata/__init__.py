"""Emulates the metadata server of a machine that the session's service account runs on."""

from mockserver.apis.metadata.paths import METADATA, METADATA_HOSTS, Found, method_of, read

__all__ = ["METADATA", "METADATA_HOSTS", "Found", "method_of", "read"]
