"""Emulates the policies and groups of the Cloud Identity API."""

from mockserver.googleapi import Api, Collection, LazyHandlers, lazy_attribute, lazy_import

POLICIES = "identityPolicies"
RULES = "dlpRules"
_TIMES = (("setting", "value", "createTime"), ("setting", "value", "updateTime"))
COLLECTIONS = (
    Collection(POLICIES, "Cloud Identity policies", _TIMES, "cloudidentity:v1#Policy"),
    Collection(RULES, "data loss prevention rules, flat or as policies", is_table=False),
)

READS = frozenset(
    f"cloudidentity:{version}/{name}"
    for version in ("v1", "v1beta1")
    for name in ("groups", "memberships")
)
"""Tables of `resources` whose groups are served beside those of the Directory."""

API = Api(
    name="cloudidentity",
    documents=(("cloudidentity", "v1"), ("cloudidentity", "v1beta1")),
    handlers=LazyHandlers(__name__),
    relies=(
        "Rely on: groups and memberships that are the Directory's, roles of memberships, "
        "transitive searches through groups in groups, security settings, policies by org "
        "unit and group. Not there: members of dynamic groups, who follow from a query "
        "elsewhere. Proof: `tests/mockserver/apis/cloudidentity`."
    ),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
    reads=READS,
    error_names={"dlpRules": "cloudidentity.policies.list"},
    captures=lazy_attribute(__name__, "snapshot", "CAPTURES"),
    redaction=lazy_attribute(__name__, "redaction", "RULES"),
    long=("cloudidentity.policies.list",),
    searched={"cloudidentity.policies.list": (POLICIES,)},
)
