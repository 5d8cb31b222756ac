"""The text of a declaration for its author: what is sure as YAML, what is not as comments."""

from collections.abc import Iterator

from mockserver.declared.documents.serving import yaml_lines
from mockserver.declared.openapi.drafts import Draft


def declaration_text(draft: Draft) -> str:
    """The file of a declaration; its comments say what could not be told."""
    return "\n".join(_lines(draft)) + "\n"


def _lines(draft: Draft) -> Iterator[str]:
    yield f"# Made of {draft.source}. A comment says what could not be told: correct it there."
    for text in draft.unsure.get("", ()):
        yield f"# unsure: {_on_one_line(text)}"
    for key, value in draft.declaration.items():
        yield from yaml_lines(key, value)
    if not draft.collections:
        yield "collections: {}"
        return
    yield "collections:"
    for name, collection in draft.collections.items():
        yield ""
        for text in draft.unsure.get(name, ()):
            yield f"  # unsure: {_on_one_line(text)}"
        for line in yaml_lines(name, collection):
            yield f"  {line}".rstrip()


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
