"""What `understudy init --plugin` writes: a package with a plug-in, and its tests."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from keyword import iskeyword
from pathlib import Path

from mockserver.errors import MockServerError
from mockserver.model import did_you_mean
from mockserver.plugins import GROUPS, table_of


@dataclass(frozen=True, slots=True)
class Template:
    """What a package of one kind is made of.

    Attributes:
        group: The group of its entry point.
        name: The name of the plug-in in the template, which another one may take the place of.
    """

    group: str
    name: str


TEMPLATES: Mapping[str, Template] = {
    "check": Template("understudy.checks", "courtesy"),
    "driver": Template("understudy.drivers", "parrot"),
    "api": Template("understudy.apis", "parrots"),
    "cases": Template("understudy.cases", "quiz"),
    "report": Template("understudy.reports", "verdicts"),
    "recording": Template("understudy.recordings", "calllog"),
    "redaction": Template("understudy.redaction", "badges"),
}
"""What `--plugin` may be; the texts stand in `plugin_templates/`."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")


def package_files(kind: str, name: str = "") -> Mapping[Path, str]:
    """The files of a package by their paths.

    Args:
        kind: One of `TEMPLATES`.
        name: What the plug-in is called; the name in the template when empty.

    Raises:
        MockServerError: There is no such kind, or the name is no good.
    """
    template = TEMPLATES.get(kind)
    if template is None:
        raise MockServerError(
            f"there is no kind {kind!r} of plug-ins", hint=did_you_mean(kind, TEMPLATES)
        )
    name = name or template.name
    if not _NAME.fullmatch(name) or iskeyword(name):
        raise MockServerError(f"{name!r} is no name of a plug-in", hint="small letters, digits, _")
    if name in table_of(template.group).own:
        raise MockServerError(f"Understudy itself has {name!r}", hint="--name names another")
    package = Path(f"understudy_{name}")
    project = _text("pyproject.toml").replace("NAME", name).replace("GROUP", template.group)
    return {
        Path("pyproject.toml"): project.replace("ABOUT", GROUPS[template.group].about),
        package / "__init__.py": _renamed(_text(f"{kind}.py"), template.name, name),
        Path("tests") / f"test_{name}.py": _renamed(_text(f"{kind}_test.py"), template.name, name),
    }


def _text(name: str) -> str:
    place = files("mockserver.cli") / "plugin_templates" / f"{name}.txt"
    return place.read_text(encoding="utf-8")


def _renamed(text: str, old: str, new: str) -> str:
    """A text with another name, and with the names of classes made of it."""
    words = "".join(word.capitalize() for word in new.split("_"))
    return text.replace(old, new).replace(old.capitalize(), words)
