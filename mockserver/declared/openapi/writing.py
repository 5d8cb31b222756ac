"""The text of a declaration for its author: what is sure as YAML, what is not as comments."""

from collections.abc import Iterator
from typing import Any

import yaml
from typing_extensions import override

from mockserver.declared.openapi.drafts import Draft
from mockserver.model import Json

_WIDTH = 100


class _Dumper(yaml.CSafeDumper):
    @override
    def ignore_aliases(self, data: Any) -> bool:
        return True


def declaration_text(draft: Draft) -> str:
    """The file of a declaration; its comments say what could not be told."""
    return "\n".join(_lines(draft)) + "\n"


def _lines(draft: Draft) -> Iterator[str]:
    yield f"# Made of {draft.source}. A comment says what could not be told: correct it there."
    for text in draft.unsure.get("", ()):
        yield f"# unsure: {_on_one_line(text)}"
    for key, value in draft.declaration.items():
        yield from _yaml(key, value)
    if not draft.collections:
        yield "collections: {}"
        return
    yield "collections:"
    for name, collection in draft.collections.items():
        yield ""
        for text in draft.unsure.get(name, ()):
            yield f"  # unsure: {_on_one_line(text)}"
        for line in _yaml(name, collection):
            yield f"  {line}".rstrip()


def _yaml(key: str, value: Json) -> list[str]:
    text = yaml.dump(
        {key: value},
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=_WIDTH,
        default_flow_style=None if isinstance(value, dict | list) else False,
    )
    return str(text).rstrip("\n").split("\n")


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
