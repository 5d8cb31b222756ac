"""Cases of any format, written down in the native one."""

from harness.cases.writing.conversion import convert
from harness.cases.writing.native_case import written_case

__all__ = ["convert", "written_case"]
