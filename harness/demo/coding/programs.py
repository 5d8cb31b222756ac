"""Tasks about programs: write, mend, rename, review."""

import re

from harness.demo.coding.toolbox import Toolbox, ToolFailedError

_SLUG = '''"""Texts as they stand in addresses."""

import re


def {name}(text):
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))
'''
_ONE_TOO_MANY = re.compile(r"\(len\((\w+)\) \+ 1\)")
_JOINED_QUERY = re.compile(r"(?i)select .*['\"] *\+")


def write_function(tools: Toolbox, asked: re.Match[str]) -> str:
    """Write a function, and try it."""
    name, path, example = asked["name"], asked["path"], asked["example"]
    tools.write_file(path, _SLUG.format(name=name))
    module = path.removesuffix(".py")
    ran = tools.run_command(f'python -c "from {module} import {name}; print({name}({example!r}))"')
    return f"{path} is written. For {example!r} it prints: {ran.output}"


def mend(tools: Toolbox, asked: re.Match[str]) -> str:
    """Run the check, find the mistake, mend it, run the check again."""
    check, path = asked["check"], asked["path"]
    before = tools.run_command(f"python {check}")
    text = tools.read_file(path)
    wrong = _ONE_TOO_MANY.search(text)
    if wrong is None:
        raise ToolFailedError(f"I see no mistake in {path}")
    tools.edit_file(path, wrong[0], f"len({wrong[1]})")
    after = tools.run_command(f"python {check}")
    said = before.output.rpartition("\n")[2]
    return (
        f"{check} failed with: {said}. The mean divided by one too many; {path} now divides by"
        f" len({wrong[1]}). {check} says: {after.output}"
    )


def rename(tools: Toolbox, asked: re.Match[str]) -> str:
    """Rename a name in every file that has it, and run the check."""
    old, new, check = asked["old"], asked["new"], asked["check"]
    paths = list(tools.search_files(old))
    if not paths:
        raise ToolFailedError(f"no file holds {old}")
    for path in paths:
        tools.edit_file(path, old, new)
    ran = tools.run_command(f"python {check}")
    return f"Renamed in {len(paths)} files: {', '.join(paths)}. {check} says: {ran.output}"


def review(tools: Toolbox, asked: re.Match[str]) -> str:
    """Name the worst problem of a file."""
    path = asked["path"]
    for number, line in enumerate(tools.read_file(path).splitlines(), start=1):
        if _JOINED_QUERY.search(line):
            return (
                f"SQL injection in {path}, line {number}: the query is put together from what the"
                " user typed. Hand the value over as a parameter instead. I changed nothing."
            )
    return f"I found no problems in {path}."
