"""Emulates Cloud SQL Admin: instances with what is in them, and operations that clients wait for.

Instances, databases, users and backups are read, made and changed by conventions, with what
recordings tell.
"""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="sqladmin",
    documents=(("sqladmin", "v1"), ("sqladmin", "v1beta4")),
    handlers=LazyHandlers(__name__),
    relies=(
        "Rely on: states of instances while an operation is pending (`operationPolls`), one "
        "operation at a time, the databases and users that an instance comes with, passwords that "
        "nobody reads, versions of settings, protection against deletion, replicas that are "
        "promoted, clones and backups. Not there: a database that answers SQL. Proof: "
        "`tests/mockserver/apis/test_sqladmin.py`."
    ),
    dialect="legacy",
    beside_conventions=True,
)

__all__ = ["API"]
