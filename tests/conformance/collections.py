"""The writable collections of the emulated APIs, and what each needs of a new row."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.conformance.hints import METRIC

PROJECT, PARENT = "projects/shop-prod", {"parent": "projects/shop-prod"}
_IDS = st.from_regex(r"[a-z][a-z0-9]{5,12}", fullmatch=True)
_UNDERSCORED = st.from_regex(r"[a-z][a-z0-9_]{5,12}", fullmatch=True)
_UNIT = "03ph8a2zx3qh4wr"
_TEAM = {"groupKey": "treasury-pilot@example.com"}
_PERSON = {"userKey": "ada.lindqvist@example.com"}
_APPLICATION = f"{PROJECT}/locations/europe-west1/applications/online-shop"
_SERVICE = f"{PROJECT}/services/checkout"
_DATASET = f"{PROJECT}/locations/eu/buckets/_Trace/datasets/Spans"

Params = Mapping[str, Any]


def _by_name(row: Mapping[str, Any]) -> Params:
    return {"name": row["name"]}


def _by(param: str, source: str, **others: Any) -> Callable[[Mapping[str, Any]], Params]:
    return lambda row: {param: row[source], **others}


@dataclass(frozen=True, kw_only=True)
class Writable:
    """A collection.

    Attributes:
        where: Its id without the verb, and the version: `monitoring.projects.dashboards v1`.
        body: A new row; `{id}` and `{text}` stand for an id and a text of a test's choice.
        params: Path and query parameters of a call that makes one; likewise.
        ids: The ids that may be chosen.
        read: The parameters that name a row.
        text: The field that a change sets, or an empty string where nothing changes rows.
        gone: What reading a deleted row answers with; 200 where it stays for a while.
        twice: What making the same row again answers with; 200 where ids are the server's.
        left: Parameters of a list, where they are not those of making a row.
    """

    where: str
    body: Mapping[str, Any]
    params: Params = field(default_factory=dict)
    ids: SearchStrategy[str] = _IDS
    read: Callable[[Mapping[str, Any]], Params] = _by_name
    text: str = "displayName"
    gone: int = 404
    twice: int = 409
    listed: Params | None = None


_ME = {"userId": "me"}
_NAMED = {"displayName": "{text}"}
_LOGGING = {
    "logging.projects.": "projects/shop-prod",
    "logging.folders.": "folders/730000000001",
    "logging.organizations.": "organizations/720000000001",
    "logging.billingAccounts.": "billingAccounts/0A1B2C-3D4E5F-6A7B8C",
}
_POLICY = {
    "customer": "customers/C03xq7b2k",
    "policyQuery": {"query": f"entity.org_units.exists(u, u.org_unit_id == orgUnitId('{_UNIT}'))"},
    "setting": {
        "type": "settings/rule.dlp",
        "value": {
            "displayName": "{text}",
            "triggers": ["google.workspace.chrome.file.v1.upload"],
            "action": {"chromeAction": {"blockContent": {}}},
            "state": "ACTIVE",
        },
    },
}


def _of_logging(prefix: str, parent: str) -> tuple[Writable, ...]:
    bucket = f"{parent}/locations/global/buckets/_Default"
    return (
        Writable(
            where=f"{prefix}locations.buckets v2",
            params={"parent": f"{parent}/locations/global", "bucketId": "{id}"},
            body={"description": "{text}", "retentionDays": 30},
            text="description",
        ),
        Writable(
            where=f"{prefix}locations.buckets.links v2",
            params={"parent": bucket, "linkId": "{id}"},
            ids=_UNDERSCORED,
            body={"description": "{text}"},
            text="",
        ),
        Writable(
            where=f"{prefix}locations.buckets.views v2",
            params={"parent": bucket, "viewId": "{id}"},
            body={"description": "{text}", "filter": 'resource.type="global"'},
            text="description",
        ),
    )


WRITABLE = (
    Writable(
        where="directory.domains directory_v1",
        params={"customer": "my_customer"},
        body={"domainName": "{id}.example.com"},
        read=_by("domainName", "domainName", customer="my_customer"),
        text="",
    ),
    Writable(
        where="directory.groups directory_v1",
        body={"email": "{id}@example.com", "name": "{text}"},
        read=_by("groupKey", "id"),
        text="name",
        listed={"customer": "my_customer"},
    ),
    Writable(
        where="directory.members directory_v1",
        params=_TEAM,
        body={"email": "{id}@elsewhere.example", "role": "MEMBER"},
        read=_by("memberKey", "email", **_TEAM),
        text="",
    ),
    Writable(
        where="directory.orgunits directory_v1",
        params={"customerId": "my_customer"},
        body={"name": "{id}", "description": "{text}", "parentOrgUnitPath": "/Finance"},
        read=_by("orgUnitPath", "orgUnitId", customerId="my_customer"),
        text="description",
        listed={"customerId": "my_customer", "type": "all"},
    ),
    Writable(
        where="directory.users directory_v1",
        body={
            "primaryEmail": "{id}@example.com",
            "name": {"givenName": "{text}", "familyName": "Person"},
            "password": "a-long-pass-word",
        },
        read=_by("userKey", "id"),
        text="recoveryEmail",
        listed={"customer": "my_customer", "maxResults": 500},
    ),
    Writable(
        where="directory.groups.aliases directory_v1",
        params=_TEAM,
        body={"alias": "{id}@example.com"},
        read=_by("alias", "alias", **_TEAM),
        text="",
    ),
    Writable(
        where="directory.users.aliases directory_v1",
        params=_PERSON,
        body={"alias": "{id}@example.com"},
        read=_by("alias", "alias", **_PERSON),
        text="",
    ),
    *(
        Writable(where=f"cloudidentity.policies {version}", body=_POLICY, text="", twice=200)
        for version in ("v1", "v1beta1")
    ),
    *(
        Writable(
            where=f"cloudidentity.groups {version}",
            body={
                "groupKey": {"id": "{id}@example.com"},
                "parent": "customers/my_customer",
                "displayName": "{text}",
                "labels": {"cloudidentity.googleapis.com/groups.discussion_forum": ""},
            },
            listed={"parent": "customers/my_customer"},
        )
        for version in ("v1", "v1beta1")
    ),
    Writable(
        where="cloudresourcemanager.folders v3",
        body={"parent": "folders/730000000001", "displayName": "{text}"},
        listed={"parent": "folders/730000000001", "showDeleted": True},
        gone=200,
        twice=400,
    ),
    Writable(
        where="cloudresourcemanager.projects v3",
        body={"projectId": "{id}", "displayName": "{text}", "parent": "folders/730000000001"},
        listed={"parent": "folders/730000000001", "showDeleted": True},
        gone=200,
    ),
    Writable(
        where="cloudresourcemanager.projects v1",
        body={"projectId": "{id}", "name": "{text}"},
        read=_by("projectId", "projectId"),
        text="name",
        gone=200,
    ),
    Writable(
        where="apphub.projects.locations.applications v1",
        params={"parent": f"{PROJECT}/locations/europe-west1", "applicationId": "{id}"},
        body={**_NAMED, "scope": {"type": "REGIONAL"}},
    ),
    Writable(
        where="apphub.projects.locations.applications.services v1",
        params={"parent": _APPLICATION, "serviceId": "{id}"},
        body={
            **_NAMED,
            "discoveredService": f"{PROJECT}/locations/europe-west1/discoveredServices/"
            "apphub-c01d55aa-orders",
        },
    ),
    Writable(
        where="apphub.projects.locations.applications.workloads v1",
        params={"parent": _APPLICATION, "workloadId": "{id}"},
        body={
            **_NAMED,
            "discoveredWorkload": f"{PROJECT}/locations/europe-west1/discoveredWorkloads/"
            "apphub-worker",
        },
    ),
    Writable(
        where="apphub.projects.locations.serviceProjectAttachments v1",
        params={
            "parent": f"{PROJECT}/locations/global",
            "serviceProjectAttachmentId": "shop-staging",
        },
        body={"serviceProject": "projects/shop-staging"},
        text="",
    ),
    Writable(
        where="observability.projects.locations.buckets.datasets.links v1",
        params={"parent": _DATASET, "linkId": "{id}"},
        ids=_UNDERSCORED,
        body=_NAMED,
    ),
    Writable(
        where="observability.projects.locations.traceScopes v1",
        params={"parent": f"{PROJECT}/locations/global", "traceScopeId": "{id}"},
        body={"description": "{text}", "resourceNames": [PROJECT]},
        text="description",
    ),
    *(each for item in _LOGGING.items() for each in _of_logging(*item)),
    Writable(
        where="monitoring.projects.alertPolicies v3",
        params={"name": PROJECT},
        body={
            **_NAMED,
            "combiner": "OR",
            "conditions": [
                {
                    "displayName": "many",
                    "conditionThreshold": {
                        "filter": f'{METRIC} AND resource.type="cloud_run_revision"',
                        "comparison": "COMPARISON_GT",
                        "duration": "60s",
                    },
                }
            ],
        },
        twice=200,
    ),
    Writable(
        where="monitoring.projects.groups v3",
        params={"name": PROJECT},
        body={**_NAMED, "filter": 'resource.metadata.name = starts_with("web")'},
        twice=200,
    ),
    Writable(
        where="monitoring.projects.metricDescriptors v3",
        params={"name": PROJECT},
        body={
            "type": "custom.googleapis.com/{id}",
            "metricKind": "GAUGE",
            "valueType": "INT64",
            "description": "{text}",
        },
        text="",
        twice=200,
    ),
    Writable(
        where="monitoring.projects.notificationChannels v3",
        params={"name": PROJECT},
        body={**_NAMED, "type": "email", "labels": {"email_address": "on-call@example.com"}},
        twice=200,
    ),
    Writable(
        where="monitoring.projects.uptimeCheckConfigs v3",
        params=PARENT,
        body={
            **_NAMED,
            "monitoredResource": {"type": "uptime_url", "labels": {"host": "shop.example.com"}},
            "httpCheck": {"path": "/"},
        },
        twice=200,
    ),
    Writable(
        where="monitoring.services v3",
        params={**PARENT, "serviceId": "{id}"},
        body={**_NAMED, "custom": {}},
    ),
    Writable(
        where="monitoring.services.serviceLevelObjectives v3",
        params={"parent": _SERVICE, "serviceLevelObjectiveId": "{id}"},
        body={
            **_NAMED,
            "goal": 0.99,
            "rollingPeriod": "86400s",
            "serviceLevelIndicator": {"basicSli": {"availability": {}}},
        },
    ),
    Writable(
        where="monitoring.projects.dashboards v1",
        params=PARENT,
        body={**_NAMED, "gridLayout": {"columns": "2"}},
        twice=200,
    ),
    Writable(
        where="gmail.users.settings.filters v1",
        params=_ME,
        body={"criteria": {"subject": "{text}"}, "action": {"addLabelIds": ["STARRED"]}},
        read=_by("id", "id", **_ME),
        text="",
        twice=200,
    ),
    *(
        Writable(
            where=f"gmail.users.settings.{name} v1",
            params=_ME,
            body={field: "{id}@example.com"},
            read=_by(field, field, **_ME),
            text="signature" if name == "sendAs" else "",
        )
        for name, field in (
            ("delegates", "delegateEmail"),
            ("forwardingAddresses", "forwardingEmail"),
            ("sendAs", "sendAsEmail"),
        )
    ),
    Writable(
        where="chat.spaces.messages v1",
        params={"parent": "spaces/AAAAtill"},
        body={"text": "{text}"},
        text="text",
        twice=200,
    ),
    Writable(
        where="meet.spaces.members v2",
        params={"parent": "spaces/jQCFfuBOdN5z"},
        body={"email": "{id}@example.com"},
        text="",
    ),
    Writable(
        where="tasks.tasklists v1",
        body={"title": "{text}"},
        read=_by("tasklist", "id"),
        text="title",
        twice=200,
    ),
    Writable(
        where="tasks.tasks v1",
        params={"tasklist": "shifts", "parent": "till"},  # which has no others to move along
        body={"title": "{text}", "due": "2026-12-01T00:00:00.000Z"},
        read=_by("task", "id", tasklist="shifts"),
        text="title",
        twice=200,
        gone=200,  # with a mark that it is deleted
        listed={"tasklist": "shifts", "maxResults": 100},
    ),
)

NOT_HERE: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "directory.ro* *",
            "directory.schemas *",
            "directory.resources.calendars *",
            "datatransfer.*",
            "licensing.*",
            "vault.*",
            "compute.*",
            "container.*",
            "dns.*",
            "run.*",
            "sql.*",
        ),
        "conventions read, list and delete its rows",
    ),
    "cloudidentity.groups.memberships *": "a list tells less of each than a read",
    "secretmanager.*": "conventions list them",
    "pubsub.*": "conventions read and list them",
    "cloudtasks.*": "a queue's and a task's name stay taken, conventions read and list queues",
    "cloudscheduler.*": "conventions delete and list jobs",
    "iam.*": "conventions make roles, list and delete keys",
    "cloudkms.*": "versions are counted and destroyed, conventions list them",
    "bigquery.datasets v2": "a list tells less of each than a read",
    "bigquery.tables v2": "a list tells less of each than a read",
    "bigquery.jobs v2": "jobs are done, not changed",
    "bigquery.routines v2": "conventions write and list routines",
    "storage.*": "conventions list buckets, lists of access are parts of them, keys stay deleted",
    "calendar.acl v3": "is never without its owner",
    "calendar.calendarList v3": "holds calendars that are there",
    "calendar.calendars v3": "are listed by `calendarList`",
    "calendar.events v3": "a deleted event is cancelled, and told nevertheless",
    "gmail.users.drafts v1": "a list tells less of each than a read",
    "gmail.users.labels v1": "a label that is read is counted",
    "gmail.users.messages v1": "a list tells less of each than a read",
    "people.contactGroups v1": "has groups of the system beside those that are made",
    "chat.spaces v1": "a space names its type when it is made",
    "chat.spaces.members v1": "only the role of a member changes",
    "chat.spaces.messages.reactions v1": "reactions are listed, and not read",
    "keep.notes v1": "notes are not changed",
    "meet.spaces v2": "spaces are neither listed nor deleted",
    "docs.documents v1": "Drive lists and deletes documents",
    "drive.permissions v3": "are never without the owner's",
    "slides.presentations *": "Drive lists and deletes presentations",
    "forms.forms *": "Drive lists and deletes forms",
    "drive.* v2": "version 2 shows what version 3 holds",
    "drive.comments v3": "a list and a read tell the replies, too",
    "drive.replies v3": "conventions list, read and delete them",
    "drive.files *": "conventions read, list and delete files",
    "sheets.spreadsheets v4": "is neither listed nor deleted: Drive does both",
    "logging.locations.*": "its paths are those of projects, folders and others",
    "chromemanagement.customers.enrollmentTokens *": "tokens are revoked, not deleted",
    "directory.enrollmentTokens *": "tokens are revoked, not deleted",
    "observability.projects.locations.buckets *": "buckets cannot be deleted",
    "monitoring.projects.snoozes *": "snoozes cannot be deleted",
    "monitoring.projects.timeSeries *": "series cannot be read by name or deleted",
}
"""Collections that something can be made in, but that lack the rest, and why."""
