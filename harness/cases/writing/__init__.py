"""Cases of any format, written down in the native one."""

from harness.cases.writing.conversion import as_yaml, convert
from harness.cases.writing.native_case import written_case

__all__ = ["as_yaml", "convert", "written_case"]
