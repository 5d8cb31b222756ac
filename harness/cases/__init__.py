"""Case formats, one module each: a suite is read whole, with everything that is wrong in it."""

from harness.cases.evidence import (
    duplicate_cases,
    idle_overrides,
    similar_cases,
    ungrounded_markers,
)
from harness.cases.fault_profiles import cross_with_profiles, fault_profiles
from harness.cases.formats import FORMATS, find_suites, load_suite, read_suite
from harness.cases.native import json_schema
from harness.cases.selection import (
    CATEGORIES,
    LIFECYCLE,
    count_categories,
    count_stages,
    count_tags,
    gaps,
    select,
)
from harness.cases.suite import CaseFormat, Suite, case_hash, input_hash, suite_prices
from harness.cases.unknown_names import misspelt_names
from harness.cases.variables import Value, variables_of

__all__ = [
    "CATEGORIES",
    "FORMATS",
    "LIFECYCLE",
    "CaseFormat",
    "Suite",
    "Value",
    "case_hash",
    "count_categories",
    "count_stages",
    "count_tags",
    "cross_with_profiles",
    "duplicate_cases",
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
    "similar_cases",
    "suite_prices",
    "ungrounded_markers",
    "variables_of",
]
