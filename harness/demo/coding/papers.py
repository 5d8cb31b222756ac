"""Tasks about files and commands: count, run, convert, look up, keep in step."""

import configparser
import json
import re

from harness.demo.coding.toolbox import Toolbox, ToolFailedError


def count(tools: Toolbox, asked: re.Match[str]) -> str:
    """Count the lines of a level with the shell."""
    level, path = asked["level"], asked["path"]
    ran = tools.run_command(f"grep -c '^[^ ]* {level} ' {path}")
    return f"{path} has {ran.output} lines of the level {level}."


def run(tools: Toolbox, asked: re.Match[str]) -> str:
    """Run a command and tell what it says."""
    ran = tools.run_command(asked["command"])
    return f"It ended with exit code {ran.exit_code} and said: {ran.output}"


def convert(tools: Toolbox, asked: re.Match[str]) -> str:
    """Write a section of settings as JSON."""
    section, source, target = asked["section"], asked["source"], asked["target"]
    settings = configparser.ConfigParser()
    settings.read_string(tools.read_file(source))
    if section not in settings:
        raise ToolFailedError(f"{source} has no section {section}")
    held = {
        key: int(value) if value.isdigit() else value for key, value in settings[section].items()
    }
    tools.write_file(target, json.dumps(held, indent=2) + "\n")
    return f"{target} holds {len(held)} keys: {', '.join(held)}."


def note(tools: Toolbox, asked: re.Match[str]) -> str:
    """Make a file with a heading that names the version."""
    version = tools.read_file(asked["source"]).strip()
    tools.write_file(asked["target"], f"# Release {version}\n")
    return f"{asked['target']} has its heading, for {version}."


def look_up(tools: Toolbox, asked: re.Match[str]) -> str:
    """Answer from what the files say about a thing."""
    thing, week = asked["thing"], asked["week"]
    lines = "\n".join(line for held in tools.search_files(thing).values() for line in held)
    limit = re.search(rf"more than (\d+ MiB) are refused by the {thing}", lines)
    person = re.search(rf"by ([A-Z]\w+ [A-Z]\w+) in {week} weeks", lines)
    if limit is None or person is None:
        raise ToolFailedError(f"I found nothing about the {thing}")
    return f"More than {limit[1]} are refused; {person[1]} looks after it in {week} weeks."


def raise_version(tools: Toolbox, asked: re.Match[str]) -> str:
    """Raise the minor version in the file and in the list of changes, then verify."""
    source, changes, check = asked["source"], asked["changes"], asked["check"]
    old = tools.read_file(source).strip()
    told = tools.read_file(changes)
    major, minor, _ = old.split(".")
    new = f"{major}.{int(minor) + 1}.0"
    tools.write_file(source, f"{new}\n")
    heading = f"## {new}\n\nNo changes yet.\n\n## {old}"
    tools.write_file(changes, told.replace(f"## {old}", heading, 1))
    ran = tools.run_command(f"python {check}")
    return f"From {old} to the next minor version. {check} says: {ran.output}"
