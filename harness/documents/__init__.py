"""Files that users write, as untrusted input: JSON and YAML with the places of what is in them."""

from harness.documents.documents import (
    LARGEST_FILE,
    Document,
    Findings,
    Part,
    Pointer,
    Remark,
    read_json,
    read_text,
)
from harness.documents.yaml_files import read_yaml

__all__ = [
    "LARGEST_FILE",
    "Document",
    "Findings",
    "Part",
    "Pointer",
    "Remark",
    "read_json",
    "read_text",
    "read_yaml",
]
