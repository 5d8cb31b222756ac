"""What the profiles make of requests that are not quite right: one table for all APIs.

`lenient` forgives what agents' own fixture executors forgave, `google` does what the live APIs do,
and `strict` also refuses what Google documents and tolerates. What is forgiven or goes unused is
journalled with the call (`ignored`) and sent as `X-Mock-Ignored`.
"""

from dataclasses import dataclass

from mockserver.googleapi.call import Call


@dataclass(frozen=True)
class ProfileRule:
    """One thing that profiles take differently.

    Attributes:
        method: A method id, a glob, or `*` for every method.
        sent: What is sent.
        lenient: What the profile `lenient` does.
        google: What the profile `google` does.
        strict: What the profile `strict` does.
        note: What is journalled when it is forgiven; empty where the name of the parameter or
            field, or `body`, is.
    """

    method: str
    sent: str
    lenient: str
    google: str
    strict: str
    note: str = ""


SEVERAL_SCHEMA_FILTERS = ProfileRule(
    "chromepolicy.customers.policies.resolve", "several filters in one, by comma",
    "each", "400", "400", "policySchemaFilter (commas)",
)  # fmt: skip
UNKNOWN_SCHEMA = ProfileRule(
    "chromepolicy.customers.policies.resolve", "the name of no known schema",
    "nothing found", "404", "404", "policySchemaFilter (unknown schema)",
)  # fmt: skip
BARE_SETTING_FILTER = ProfileRule(
    "cloudidentity.policies.list", "a filter for setting types without `settings/`",
    "understood", "as written", "as written", "filter (setting types without 'settings/')",
)  # fmt: skip
BARE_SETTING = ProfileRule(
    "cloudidentity.policies.create, patch", "a setting type without `settings/`",
    "understood", "400", "400", "setting.type (without 'settings/')",
)  # fmt: skip
OR_AND = ProfileRule(
    "logging.entries.*", "OR and AND without parentheses",
    "AND binds tighter", "OR binds tighter", "OR binds tighter",
    "filter (OR binds tighter than AND)",
)  # fmt: skip
NO_GROUP = ProfileRule(
    "clouderrorreporting.projects.events.list", "no `groupId`",
    "events of all groups", "400", "400", "groupId (missing: the events of all groups)",
)  # fmt: skip
NO_INTERVAL = ProfileRule(
    "cloudtrace.projects.traces.list", "no `startTime` or no `endTime`",
    "all up to now", "all up to now", "400",
)  # fmt: skip
SERIES_ORDER = ProfileRule(
    "monitoring.projects.timeSeries.list", "`orderBy`", "ignored", "ignored", "400",
)  # fmt: skip
FOREIGN_SIGNATURE = ProfileRule(
    "oauth2.token", "a credential of another project", "taken", "taken", "400",
)  # fmt: skip

PROFILE_RULES: tuple[ProfileRule, ...] = (
    ProfileRule("*", "an unknown query parameter",
         "ignored", "newer: 400, older: ignored", "400"),
    ProfileRule("*", "a `snake_case` query parameter",
         "taken", "newer: taken, older: ignored", "newer: taken, older: 400"),
    ProfileRule("*", "a value that is not of its type", "ignored", "400", "400"),
    ProfileRule("*", "a value out of range or pattern", "taken", "older: 400", "400"),
    ProfileRule("*", "an enum value that is not listed", "taken", "taken", "400"),
    ProfileRule("*", "a single parameter twice", "the last", "newer: 400, older: the last", "400"),
    ProfileRule("*", "an unknown field in the body",
                "ignored", "newer: 400, older: ignored", "400"),
    ProfileRule("*", "a body without a required field", "taken", "taken", "400"),
    ProfileRule("*", "no credential, or a foreign token", "anonymous", "anonymous", "401"),
    ProfileRule("*", "an issued token without the scope", "taken", "taken", "403"),
    ProfileRule("*", "a chunk of an upload that is no multiple of 256 KiB",
                "taken", "taken", "400"),
    SEVERAL_SCHEMA_FILTERS, UNKNOWN_SCHEMA, BARE_SETTING_FILTER, BARE_SETTING, OR_AND, NO_GROUP,
    NO_INTERVAL, SERIES_ORDER, FOREIGN_SIGNATURE,
)  # fmt: skip
"""Every difference between the profiles; those of every method are seen to where requests are bound
and credentials are read."""


def forgives(call: Call, rule: ProfileRule) -> bool:
    """Whether the call's session forgives what a rule is about; if so, that is journalled."""
    if call.profile != "lenient":
        return False
    call.ignored.append(rule.note)
    return True


def refuses(call: Call, rule: ProfileRule) -> bool:
    """Whether the call's session refuses what a rule is about, which other profiles take."""
    return call.profile == "strict" and rule.strict == "400"


def profile_table() -> str:
    """The table as Markdown, for the docs."""
    head = "| Method | What is sent | `lenient` | `google` | `strict` |\n|---|---|---|---|---|\n"
    rows = []
    for rule in PROFILE_RULES:
        method = "every" if rule.method == "*" else f"`{rule.method}`"
        cells = (method, rule.sent, rule.lenient, rule.google, rule.strict)
        rows.append(f"| {' | '.join(cells)} |\n")
    return head + "".join(rows)
