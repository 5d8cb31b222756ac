"""Distributions with plug-ins, as an installer leaves them in a folder."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from mockserver import plugins
from mockserver.cli.starter_files import TEMPLATES, package_files


def write_distribution(
    folder: Path, name: str, points: Mapping[str, Mapping[str, str]], source: str = ""
) -> None:
    """Install a distribution with one module of its name.

    Args:
        folder: Where to.
        name: Its name.
        points: Group to entry points.
        source: What the module holds.
    """
    info = folder / f"{name}-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
    lines = [
        line
        for group, entries in points.items()
        for line in (f"[{group}]", *(f"{each} = {place}" for each, place in entries.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    (folder / f"{name}.py").write_text(source, encoding="utf-8")


def write_template(folder: Path, kind: str) -> None:
    """Install what `understudy init --plugin` writes."""
    template = TEMPLATES[kind]
    module = f"understudy_{template.name}"
    source = package_files(kind)[Path(module) / "__init__.py"]
    write_distribution(
        folder, module, {template.group: {template.name: f"{module}:PLUGIN"}}, source
    )


@contextmanager
def installed(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """See the distributions of a folder, and no others; afterwards none of them."""
    before = set(sys.modules)
    with patch.context() as context:
        context.syspath_prepend(folder)
        context.setattr(plugins, "_PATH", (str(folder),))
        forget_plugins()
        yield
    for name in set(sys.modules) - before:
        if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
    forget_plugins()


def forget_plugins() -> None:
    """Look for plug-ins anew."""
    plugins.installed_plugins.cache_clear()
    for group in plugins.GROUPS:
        table = plugins.table_of(group)
        table._lines.clear()
        table._problems.clear()
