"""Case formats, one module each: a suite is read whole, with everything that is wrong in it."""

from harness.cases.faultprofiles import crossed, fault_profiles
from harness.cases.grounds import alike, doubled, idle_overrides, ungrounded_markers
from harness.cases.hashing import case_hash, input_hash
from harness.cases.lifecycle import LIFECYCLE, count_stages
from harness.cases.loading import FORMATS, find_suites, load_suite, read_suite
from harness.cases.misspelt import KnownNames, misspelt_names
from harness.cases.native import json_schema
from harness.cases.selection import CATEGORIES, count_categories, count_tags, gaps, select
from harness.cases.suite import CaseFormat, Suite
from harness.cases.variables import Value, variables_of

__all__ = [
    "CATEGORIES",
    "FORMATS",
    "LIFECYCLE",
    "CaseFormat",
    "KnownNames",
    "Suite",
    "Value",
    "alike",
    "case_hash",
    "count_categories",
    "count_stages",
    "count_tags",
    "crossed",
    "doubled",
    "fault_profiles",
    "find_suites",
    "gaps",
    "idle_overrides",
    "input_hash",
    "json_schema",
    "load_suite",
    "misspelt_names",
    "read_suite",
    "select",
    "ungrounded_markers",
    "variables_of",
]
