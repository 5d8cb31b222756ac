"""Agents of frameworks, unchanged: `pydantic-ai:module:agent`, one adapter module for each.

An adapter runs in the process of a trial, where the framework is (`harness.agents.function_child`
loads it by its path, without this project, so it imports nothing of it). It has

* `PACKAGE`, what to install, and `MODULES`, what must be importable;
* `WANTED`, what an agent is called, and `recognises(value)`, whether a value is one;
* `connect(agent)`: an async function of `(messages, environment)` that hands the last message to
  the agent and returns a reply as `python:` agents do: text, tool calls as the framework reports
  them, rounds, usage. It keeps the conversation as the framework does. Its `aclose`, where it has
  one, is awaited at the end. An error that it raises may bear the reply so far, as
  `understudy_partial`.
"""

from harness.agents.frameworks.registry import FRAMEWORKS, Framework

__all__ = ["FRAMEWORKS", "Framework"]
