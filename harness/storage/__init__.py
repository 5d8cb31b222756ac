"""Run directories."""

from harness.storage.run_folder import RunFolder

__all__ = ["RunFolder"]
