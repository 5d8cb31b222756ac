"""The names in rules of cases, which `understudy lint` compares with those that exist."""

from typing import Any

import pytest

from harness.checks import CHECKS
from harness.checks.expectation import Mention

TOOL, METHOD, COLLECTION = "tool", "method", "collection"
SEEN = {"seen_as": {"t": "m.*"}}
OF_SEEN = [(TOOL, "t"), (METHOD, "m.*")]


@pytest.mark.parametrize(
    ("kind", "fields", "told"),
    [
        ("tool_calls", {"calls": [{"name": "a", "args": {"x": 1}}], **SEEN},
         [*OF_SEEN, (TOOL, "a", True, ("x",))]),
        ("tool_calls", {"calls": [{"name": "a", "args": {"x": 1}, "args_mode": "schema"}]},
         [(TOOL, "a", True)]),
        ("forbidden_tools", {"globs": ["a*"], "calls": [{"name": "b", "args": {"x": 1}}], **SEEN},
         [*OF_SEEN, (TOOL, "a*"), (TOOL, "b", False, ("x",))]),
        ("min_calls", {"counts": {"a": 2}, **SEEN}, [*OF_SEEN, (TOOL, "a", True)]),
        ("server_requests", {"requests": [{"method": "m.list", "params": {"p": 1}},
                                          {"method": "m.get", "min": 0}]},
         [(METHOD, "m.list", True, ("p",)), (METHOD, "m.get")]),
        ("server_state",
         {"rows": [{"collection": "c", "where": {"w": 1}, "has": {"h": 1}},
                   {"collection": "d", "count": 0}],
          "allow": [{"collection": "e", "where": {"w": 1}}], "unchanged": ["f*"]},
         [(COLLECTION, "c", True, ("w", "h")), (COLLECTION, "d"), (COLLECTION, "e", False, ("w",)),
          (COLLECTION, "f*")]),
        ("milestones", {"milestones": [
            {"name": "e", "call": {"name": "a", "args": {"x": 1}}},
            {"name": "e", "request": {"method": "m", "params": {"p": 1}}},
            {"name": "e", "state": {"collection": "c", "where": {"w": 1}}},
            {"name": "e", "changed": {"collection": "d"}}]},
         [(TOOL, "a", True, ("x",)), (METHOD, "m", True, ("p",)),
          (COLLECTION, "c", True, ("w",)), (COLLECTION, "d", True)]),
        ("minefields", {"mines": [{"call": "a"}, {"state": "c"}]},
         [(TOOL, "a"), (COLLECTION, "c")]),
        ("exit_code", {"code": 0}, []),
    ],
)  # fmt: skip
def test_a_rule_tells_which_names_it_speaks_of(
    kind: str, fields: dict[str, Any], told: list[tuple[Any, ...]]
) -> None:
    expectation = CHECKS[kind].kind.model_validate(fields)
    assert list(expectation.mentions()) == [Mention(*each) for each in told]
    rows = {"server_state": ("c", "d"), "milestones": ("c",), "minefields": ("c",)}
    assert expectation.final_collections == rows.get(kind, ())
