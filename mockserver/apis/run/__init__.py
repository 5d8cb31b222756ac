"""Emulates Cloud Run: services with revisions and traffic, jobs with executions and tasks.

Resources are read, made and changed by conventions, with what recordings tell.
"""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="run",
    documents=(("run", "v2"),),
    handlers=LazyHandlers(__name__),
    relies=(
        "Rely on: a revision for each change of a service's template, its address, traffic that "
        "names revisions and comes to 100 percent, revisions in use that stay, executions and "
        "tasks of jobs that are run, with overrides, and cancelled. Not there: containers; every "
        "execution succeeds at once. Proof: 200 recorded exchanges of services "
        "and jobs, status equal in 96 %, every field in 11 %; `tests/mockserver/apis/test_run.py`."
    ),
    beside_conventions=True,
)

__all__ = ["API"]
