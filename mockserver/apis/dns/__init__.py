"""Emulates Cloud DNS: zones with their record sets, and changes that take effect as a whole.

Zones, policies and rules are read, made and changed by conventions.
"""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="dns",
    documents=(("dns", "v1"), ("dns", "v1beta2")),
    handlers=LazyHandlers(__name__),
    relies=(
        "Rely on: the SOA and NS records that a zone is made with, changes that add and delete "
        "record sets as a whole or not at all, a deletion that has to name what is there exactly, "
        "CNAME records alone at their names, 400 for the deletion of a zone with records. Not "
        "there: answers to DNS queries, signatures of DNSSEC. Proof: `tests/mockserver/apis/"
        "test_dns.py`."
    ),
    dialect="legacy",
    beside_conventions=True,
)

__all__ = ["API"]
