"""What the bundled suites hold none of: rows under folders, organizations and billing accounts."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from mockserver.client import merged_snapshot
from mockserver.model import SessionSpec
from tests.bundles import write_both
from tests.conformance import compute

PARENTS = (
    "folders/730000000001",
    "organizations/720000000001",
    "billingAccounts/0A1B2C-3D4E5F-6A7B8C",
)
_PROJECT = "projects/shop-prod"
_RUN = f"{_PROJECT}/locations/europe-west1"
_SECRETS = (f"{_PROJECT}/secrets/card", f"{_PROJECT}/locations/europe-west1/secrets/card")
_COPIED = ("logBuckets", "logLinks", "logViews")
_ENTRY = {"timestamp": "2026-11-20T08:30:00Z", "resource": {"type": "global"}, "severity": "INFO"}


def write_more(folder: Path) -> Path:
    """A suite of both bundled ones, with at least a row for every emulated method to find."""
    write_both(folder)
    raw = merged_snapshot(folder, SessionSpec())
    more: dict[str, Any] = {name: [*raw[name], *_copies(raw[name])] for name in _COPIED}
    entries = [
        {"logName": f"{parent}/logs/audit", "textPayload": "made", **_ENTRY} for parent in PARENTS
    ]
    more["logEntries"] = [*raw["logEntries"], *entries]
    more["folders"] = [*raw["folders"], _LEFT]
    more["pubsubMessages"] = [{"topic": f"{_PROJECT}/topics/orders", "data": "YQ=="}]
    more["orgUnits"] = [*raw["orgUnits"], _EMPTY]
    more["deletedUsers"] = [_GONE]
    more["sentMessages"] = [{**_SENT, "id": f"18f3a2b4c5d6e7f{last}"} for last in (8, 9)]
    more["sentMessages"] += [{**_SENT, "id": "18f3a2b4c5d6e7fa", "labelIds": ["SENT", "TRASH"]}]
    nested = {"email": raw["groups"][1]["email"], "type": "GROUP", "role": "MEMBER"}
    group, members = next(iter(raw["members"].items()))
    more["members"] = {**raw["members"], group: [*members, nested]}
    for name in ("observabilityBuckets", "observabilityDatasets"):
        row = raw[name][0]
        more[name] = [*raw[name], {**row, "name": f"{row['name']}-gone", **_DELETED}]
    more["resources"] = _RESOURCES
    more["chromeReports"] = {**raw["chromeReports"], **_REPORTS}
    more |= {name: [_aliased(raw[name][0]), *raw[name][1:]] for name in ("users", "groups")}
    (folder / "base" / "zz-more.json").write_bytes(orjson.dumps(more))
    return folder


def _copies(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {**row, "name": row["name"].replace(_PROJECT, parent, 1)}
        for row in rows
        if row["name"].startswith(_PROJECT)
        for parent in PARENTS
    ]


def _aliased(row: Mapping[str, Any]) -> dict[str, Any]:
    address = str(row.get("primaryEmail") or row["email"])
    return {**row, "aliases": [f"also.{address}"]}


_ATTACHED = {
    "mimeType": "application/pdf",
    "filename": "plan.pdf",
    "partId": "0",
    "body": {"size": 4, "attachmentId": "ANGj1", "data": "JVBERg=="},
}
_SHIFTS = {"tasklist": "shifts", "status": "needsAction", "updated": "2026-11-19T09:00:00.000Z"}
_DONE = {**_SHIFTS, "status": "completed", "completed": "2026-11-18T09:00:00.000Z"}
_DRAFT = "VG86IGJvQGV4YW1wbGUuY29tDQoNCkhp"
_HOUR = {
    "start": {"dateTime": "2026-11-23T10:00:00Z", "timeZone": "UTC"},
    "end": {"dateTime": "2026-11-23T11:00:00Z", "timeZone": "UTC"},
}
_UNIT = {"orgUnitId": "03ph8a2zx3qh4wr"}
_APP = {"appId": "a", "appType": "EXTENSION", **_UNIT}
_JOB = {"printerId": "p", "userEmail": "bo@example.com", "printerOrgUnitId": "03ph8a2zx3qh4wr"}
_REPORTS = {
    "installedApps": [{**_APP, "displayName": "A"}],
    "devices": [{**_APP, "deviceId": "d", "machine": "m"}],
    "profiles": [{**_APP, "email": "bo@example.com", "profileId": "1"}],
    "printJobs": [{**_JOB, "id": "1"}, {**_JOB, "id": "2"}],
    "saasReports": [{"app": "alpha", "visitsCount": "3", **_UNIT}],
    "saasUsageBrowsers": [{"app": "alpha", "machine": "m", **_UNIT}],
    "profileReports": [{"app": "alpha", "email": "bo@example.com", **_UNIT}],
    "crashEventCounts": [{"browserVersion": "142", "count": "2", **_UNIT}],
    "profileBrowserVersions": [{"version": "142", "count": "2", **_UNIT}],
}
_CHROME = {
    "deviceId": "8535b27b-2f88-cc37-3846-07429cfc2cfe",
    "orgUnitPath": "/Finance",
    "model": "Book",
    "systemRamTotal": "8",
    "cpuInfo": [{"model": "c"}],
    "diskSpaceUsage": {"capacityBytes": "64"},
    "autoUpdateExpiration": "1893456000000",
    "lastSync": "2026-11-19T09:00:00Z",
}
_ROBOT = f"{_PROJECT}/serviceAccounts/desk@shop-prod.iam.gserviceaccount.com"
_QUEUE = f"{_PROJECT}/locations/europe-west1/queues"
_QUEUES = {
    "queues": [
        {"name": f"{_QUEUE}/q", "state": "RUNNING"},
        {
            "name": f"{_QUEUE}/told",
            "state": "RUNNING",
            "httpTarget": {"uriOverride": {"host": "worker.example.com"}},
        },
    ],
    "tasks": [
        {
            "name": f"{_QUEUE}/q/tasks/t1",
            "scheduleTime": "2030-01-01T00:00:00Z",
            "httpRequest": {"url": "https://worker.example.com/", "body": "YQ=="},
        }
    ],
}
_RING = f"{_PROJECT}/locations/europe-west1/keyRings/shop"
_KEYS = {
    "cards": ("ENCRYPT_DECRYPT", "GOOGLE_SYMMETRIC_ENCRYPTION"),
    "seal": ("ASYMMETRIC_SIGN", "EC_SIGN_P256_SHA256"),
    "mac": ("MAC", "HMAC_SHA256"),
    "empty": ("ENCRYPT_DECRYPT", ""),
    "raw": ("RAW_ENCRYPT_DECRYPT", "AES_256_GCM"),
}
_KEY_VERSIONS = [
    {"name": f"{_RING}/cryptoKeys/{name}/cryptoKeyVersions/1", "algorithm": algorithm,
     "state": "ENABLED"}
    for name, (_, algorithm) in _KEYS.items()
    if algorithm
]  # fmt: skip
_KMS = {
    "keyRings": [{"name": _RING}],
    "cryptoKeys": [
        {"name": f"{_RING}/cryptoKeys/{name}", "purpose": purpose,
         **({"primary": _KEY_VERSIONS[0]} if name == "cards" else {})}
        for name, (purpose, _) in _KEYS.items()
    ],
    "cryptoKeyVersions": [
        *_KEY_VERSIONS,
        {"name": f"{_RING}/cryptoKeys/cards/cryptoKeyVersions/2", "state": "DESTROY_SCHEDULED",
         "destroyTime": "2030-01-01T00:00:00Z"},
        {"name": f"{_RING}/cryptoKeys/cards/cryptoKeyVersions/3", "state": "DESTROYED"},
    ],
}  # fmt: skip
_TILL, _CONFERENCE = "spaces/AAAAtill", "conferenceRecords/old"
_OWNER = {
    "name": "notes/shared/permissions/1",
    "role": "OWNER",
    "email": "admin@example.com",
    "user": {"email": "admin@example.com"},
}
_WRITER = {"name": "notes/shared/permissions/2", "role": "WRITER"}
_MET = {"space": "spaces/jQCFfuBOdN5z", "startTime": "2026-11-19T10:00:00Z"}
_JOINED = {"earliestStartTime": "2026-11-19T10:00:00Z"}
_MESSAGE = {
    "sender": {"name": "users/admin@example.com", "type": "HUMAN"},
    "createTime": "2026-11-19T09:00:00Z",
    "thread": {"name": f"{_TILL}/threads/one"},
    "space": {"name": _TILL},
}


def _human(name: str) -> dict[str, str]:
    return {"name": f"users/{name}", "type": "HUMAN"}


_RESOURCES = {
    "compute:v1": compute.ROWS,
    "admin:directory_v1": {
        "chromeosdevices": [{**_CHROME, "status": "ACTIVE"}],
        "mobiledevices": [{"resourceId": "mob-1", "status": "APPROVED"}],
        "features": [{"name": "Screen"}],
        "calendars": [{"resourceId": "room-1", "resourceName": "One"}],
        "schemas": [{"schemaId": "s1", "schemaName": "Badge", "fields": []}],
        "roles": [{"roleId": "900", "roleName": "Desk"}, {"roleId": "901", "roleName": "Till"}],
        "roleAssignments": [
            {"roleAssignmentId": "7", "roleId": "901", "assignedTo": "124062053255204345285"},
            {"roleAssignmentId": "8", "roleId": "901", "assignedTo": "01qdwywh9v2glu3"},
        ],
        "verificationCodes": [{"userId": "124062053255204345285", "verificationCode": "12345678"}],
    },
    **{
        f"cloudidentity:{version}": {
            "devices": [{"name": "devices/d1"}],
            "deviceUsers": [{"name": "devices/d1/deviceUsers/u1", "userEmail": "bo@example.com"}],
        }
        for version in ("v1", "v1beta1")
    },
    "admin:datatransfer_v1": {
        "transfers": [
            {
                "id": "t1",
                "oldOwnerUserId": "1",
                "newOwnerUserId": "2",
                "overallTransferStatusCode": "completed",
            }
        ]
    },
    "licensing:v1": {
        "licenseAssignments": [
            {
                "userId": "ada.lindqvist@example.com",
                "productId": "Google-Apps",
                "skuId": "1010020027",
            }
        ]
    },
    "vault:v1": {
        "matters": [
            {"matterId": "m1", "name": "One", "state": "OPEN"},
            {"matterId": "m2", "name": "Two", "state": "CLOSED"},
            {"matterId": "m3", "name": "Three", "state": "DELETED"},
        ],
        "holds": [
            {
                "matterId": "m1",
                "holdId": "h1",
                "accounts": [{"accountId": "124062053255204345285"}],
            }
        ],
    },
    "alertcenter:v1beta1": {"alerts": [{"alertId": "al1"}]},
    "gmail:v1": {
        "messages": [{"id": "18f3a2b4c5d6e7fb", "internalDate": "0", "payload": _ATTACHED}],
        "labels": [{"id": "Label_9", "name": "Bills"}],
        "drafts": [
            {"id": "r7", "message": {"raw": _DRAFT}},
            {"id": "r8", "message": {"raw": _DRAFT, "labelIds": ["DRAFT", "TRASH"]}},
        ],
        "filters": [
            {"id": "f7", "criteria": {"from": "bo"}, "action": {"addLabelIds": ["STARRED"]}},
        ],
        "delegates": [{"delegateEmail": "cy@example.com"}],
        "forwardingAddresses": [{"forwardingEmail": "cy@example.com"}],
        "sendAs": [{"sendAsEmail": "cy@example.com"}],
    },
    "calendar:v3": {
        "calendars": [{"id": "team@example.com", "summary": "Team"}],
        "calendars/primary/events": [
            {"id": "revue", "summary": "Revue", **_HOUR},
            {"id": "dropped", "status": "cancelled", **_HOUR},
            {"id": "stand5up", "recurrence": ["RRULE:FREQ=DAILY;COUNT=9"], **_HOUR},
            {
                "id": "stand5up_20261124T100000Z",
                "recurringEventId": "stand5up",
                "status": "cancelled",
                "originalStartTime": {"dateTime": "2026-11-24T10:00:00Z", "timeZone": "UTC"},
            },
        ],
        "calendarList": [
            {"id": "old@example.com", "summary": "Old", "hidden": True},
            {"id": "gone@example.com", "summary": "Gone", "deleted": True},
        ],
        "calendars/primary/acl": [
            {
                "id": "user:bo@example.com",
                "role": "reader",
                "scope": {"type": "user", "value": "bo@example.com"},
            }
        ],
    },
    "people:v1": {
        "otherContacts": [
            {"resourceName": "otherContacts/o1", "names": [{"displayName": "Di Met"}]}
        ],
        "people": [{"resourceName": "people/c1", "names": [{"displayName": "Cy Young"}]}],
        "contactGroups": [{"resourceName": "contactGroups/pals", "name": "Pals"}],
    },
    "docs:v1": {"documents": [{"documentId": "minutes", "title": "Minutes"}]},
    **{
        f"secretmanager:{version}": {
            "secrets": [{"name": name} for name in _SECRETS],
            "versions": [
                {"name": f"{name}/versions/1", "state": "ENABLED", "payload": {"data": "YQ=="}}
                for name in _SECRETS
            ],
        }
        for version in ("v1", "v1beta1", "v1beta2")
    },
    "cloudkms:v1": _KMS,
    "iam:v1": {
        "serviceAccounts": [{"name": _ROBOT, "email": _ROBOT.rpartition("/")[2]}],
        "keys": [{"name": f"{_ROBOT}/keys/k1"}],
        "roles": [
            {"name": f"{owner}/roles/{name}", "title": name, **gone}
            for owner in (_PROJECT, "organizations/720000000001")
            for name, gone in (("auditor", {}), ("gone", {"deleted": True}))
        ],
    },
    "dns:v1": {
        "managedZones": [
            {"name": name, "dnsName": f"{domain}."}
            for name, domain in (("z", "example.com"), ("empty", "example.org"))
        ],
        "resourceRecordSets": [
            {"name": name, "type": kind, "ttl": 300, "rrdatas": data}
            for name, kind, data in (
                ("example.com.", "SOA", ["a. b. 1 2 3 4 5"]),
                ("example.com.", "NS", ["a.example.com."]),
                ("www.example.com.", "A", ["192.0.2.1"]),
            )
        ],
        "changes": [{"id": number, "status": "done"} for number in "01"],
    },
    **{
        f"sqladmin:{version}": {
            "instances": [
                {"name": "db", "project": "shop-prod", "settings": {"tier": "t"}},
                {"name": "copy", "project": "shop-prod", "masterInstanceName": "db"},
            ],
            **{
                noun: [{"instance": "db", **row}]
                for noun, row in (
                    ("databases", {"name": "app"}),
                    ("users", {"name": "ann"}),
                    ("backupRuns", {"id": "7"}),
                )
            },
        }
        for version in ("v1", "v1beta4")
    },
    "run:v2": {
        "services": [
            {
                "name": f"{_RUN}/services/web",
                "uri": "https://web.example.com",
                "latestReadyRevision": f"{_RUN}/services/web/revisions/web-2",
                "template": {"containers": [{"image": "web"}]},
            }
        ],
        "revisions": [{"name": f"{_RUN}/services/web/revisions/web-{number}"} for number in (1, 2)],
        "jobs": [
            {
                "name": f"{_RUN}/jobs/sweep",
                "template": {"template": {"containers": [{"image": "web"}]}},
            }
        ],
        "executions": [{"name": f"{_RUN}/jobs/sweep/executions/e"}],
    },
    "cloudscheduler:v1": {
        "jobs": [
            {
                "name": f"{_PROJECT}/locations/europe-west1/jobs/{name}",
                "schedule": "0 3 * * *",
                "timeZone": "UTC",
                "state": state,
                "scheduleTime": "2030-01-01T03:00:00Z",
                "httpTarget": {"uri": "https://worker.example.com/", "httpMethod": "POST"},
            }
            for name, state in (("nightly", "ENABLED"), ("paused", "PAUSED"))
        ]
    },
    **{f"cloudtasks:{version}": _QUEUES for version in ("v2", "v2beta3")},
    "pubsub:v1": {
        "topics": [{"name": f"{_PROJECT}/topics/orders"}],
        "subscriptions": [
            {"name": f"{_PROJECT}/subscriptions/desk", "topic": f"{_PROJECT}/topics/orders"}
        ],
        "snapshots": [{"name": f"{_PROJECT}/snapshots/told", "topic": f"{_PROJECT}/topics/orders"}],
    },
    "firestore:v1": {
        "documents": [
            {
                "name": f"{_PROJECT}/databases/(default)/documents/carts/c{number}",
                "fields": {
                    "colour": {"stringValue": "red"},
                    "count": {"integerValue": f"{number}"},
                    "made": {"timestampValue": "2026-11-19T09:00:00Z"},
                },
            }
            for number in range(3)
        ]
        + [
            {
                "name": f"{_PROJECT}/databases/(default)/documents/carts/{cart}/items/i1",
                "fields": {},
            }
            for cart in ("c1", "c1/items/i2", "none")
        ],
    },
    "storage:v1": {
        "buckets": [
            {
                "name": "shop",
                "retentionPolicy": {"retentionPeriod": "1"},
                "acl": [{"entity": "user-ann@example.com", "role": "READER"}],
                "defaultObjectAcl": [{"entity": "user-ann@example.com", "role": "READER"}],
            },
            {"name": "spare"},
            {"name": "gone", "generation": "9", "softDeleteTime": "2026-03-01T00:00:00Z"},
        ],
        "objects": [
            {
                "bucket": "shop",
                "name": "told",
                "generation": "7",
                "metageneration": "1",
                "acl": [{"entity": "user-ann@example.com", "role": "READER"}],
            }
        ],
        "hmacKeys": [{"projectId": "shop-prod", "accessId": "GOOG1TOLD", "state": "INACTIVE"}],
    },
    "bigquery:v2": {
        "datasets": [
            {"datasetReference": {"projectId": "p", "datasetId": "sales"}},
            {"datasetReference": {"projectId": "p", "datasetId": "_hidden"}},
        ],
        "tables": [
            {
                "tableReference": {"projectId": "p", "datasetId": "sales", "tableId": "orders"},
                "schema": {"fields": [{"name": "id", "type": "INTEGER"}]},
                "rows": [{"id": 1}, {"id": 2}],
            }
        ],
        "routines": [
            {"routineReference": {"projectId": "p", "datasetId": "sales", "routineId": "half"}}
        ],
        "models": [
            {"modelReference": {"projectId": "p", "datasetId": "sales", "modelId": "guess"}}
        ],
        "jobs": [
            {"jobReference": {"projectId": "p", "jobId": "j1"}, "status": {"state": "RUNNING"}},
            {
                "jobReference": {"projectId": "p", "jobId": "j2"},
                "status": {"state": "DONE"},
                "configuration": {
                    "query": {
                        "query": "SELECT id FROM sales.orders",
                        "destinationTable": {
                            "projectId": "p",
                            "datasetId": "sales",
                            "tableId": "orders",
                        },
                    }
                },
                "statistics": {"query": {"statementType": "SELECT"}},
            },
        ],
    },
    "slides:v1": {
        "presentations": [
            {
                "presentationId": "deck",
                "title": "Deck",
                "slides": [
                    {
                        "objectId": "p",
                        "pageElements": [{"objectId": "p_i0", "shape": {"shapeType": "TEXT_BOX"}}],
                    }
                ],
            }
        ]
    },
    "forms:v1": {"forms": [{"formId": "survey", "info": {"title": "S", "documentTitle": "S"}}]},
    "drive:v2": {"files": [{"id": "prices", "title": "Prices"}]},
    "drive:v3": {
        "comments": [
            {"fileId": "prices", "id": "c1", "content": "why?"},
            {"fileId": "prices", "id": "c2", "deleted": True},
        ],
        "replies": [
            {"fileId": "prices", "commentId": "c1", "id": "p1", "content": "so"},
            {"fileId": "prices", "commentId": "c1", "id": "p2", "deleted": True},
        ],
        "revisions": [{"fileId": "prices", "id": "v1", "mimeType": "text/plain"}],
        "files": [
            {
                "id": "prices",
                "name": "Prices",
                "mimeType": "application/vnd.google-apps.spreadsheet",
                "trashed": False,
                "properties": {"team": "blue"},
                "permissions": [
                    {
                        "id": "1",
                        "type": "user",
                        "role": "owner",
                        "emailAddress": "admin@example.com",
                    },
                    {"id": "2", "type": "domain", "role": "reader", "domain": "example.com"},
                ],
            }
        ],
    },
    "sheets:v4": {
        "spreadsheets": [{"spreadsheetId": "prices", "properties": {"title": "Prices"}}],
        "values": [{"spreadsheetId": "prices", "range": "A1:B2", "values": [["a", 1], ["b", 2]]}],
    },
    "chat:v1": {
        "spaces": [
            {"name": "spaces/AAAAtill", "displayName": "Till", "spaceType": "SPACE"},
            {"name": "spaces/AAAAdm", "spaceType": "DIRECT_MESSAGE"},
            {"name": "spaces/AAAAgroup", "spaceType": "GROUP_CHAT"},
        ],
        "members": [
            {"name": f"{space}/members/{who}", "role": role, "member": _human(who)}
            for space, who, role in (
                (_TILL, "admin@example.com", "ROLE_MANAGER"),
                (_TILL, "ada.lindqvist@example.com", "ROLE_MEMBER"),
                ("spaces/AAAAdm", "admin@example.com", "ROLE_MEMBER"),
                ("spaces/AAAAdm", "ada.lindqvist@example.com", "ROLE_MEMBER"),
                ("spaces/AAAAgroup", "admin@example.com", "ROLE_MEMBER"),
            )
        ]
        + [
            {"name": f"{_TILL}/members/cy", "member": _human("cy"), "state": "INVITED"},
            {"name": f"{_TILL}/members/g", "groupMember": {"name": "groups/01qdwywh9v2glu3"}},
        ],
        "messages": [
            {**_MESSAGE, "name": f"{_TILL}/messages/{last}.{last}", "text": last, **more}
            for last, more in (
                ("one", {"attachment": [{"name": f"{_TILL}/messages/one.one/attachments/1"}]}),
                ("two", {}),
                ("old", {"deleteTime": "2026-11-19T10:00:00Z"}),
            )
        ],
        "reactions": [
            {
                "name": f"{_TILL}/messages/one.one/reactions/r1",
                "emoji": {"unicode": "\u2602"},
                "user": _human("admin@example.com"),
            }
        ],
    },
    "keep:v1": {
        "notes": [
            {"name": "notes/milk", "title": "Milk", "trashed": False},
            {"name": "notes/old", "title": "Old", "trashed": True},
            {
                "name": "notes/shared",
                "permissions": [_OWNER, {**_WRITER, "email": "cy@example.com"}],
            },
        ]
    },
    "meet:v2": {
        "spaces": [
            {
                "name": "spaces/jQCFfuBOdN5z",
                "meetingCode": "abc-mnop-xyz",
                "activeConference": {"conferenceRecord": "conferenceRecords/now"},
            },
        ],
        "members": [{"name": "spaces/jQCFfuBOdN5z/members/m1", "email": "bo@example.com"}],
        "conferenceRecords": [
            {"name": "conferenceRecords/now", **_MET},
            {"name": "conferenceRecords/old", **_MET, "endTime": "2026-11-19T11:00:00Z"},
        ],
        "participants": [
            {"name": f"{_CONFERENCE}/participants/p1", **_JOINED},
            {
                "name": f"{_CONFERENCE}/participants/p2",
                **_JOINED,
                "latestEndTime": _MET["startTime"],
            },
        ],
        "participantSessions": [{"name": f"{_CONFERENCE}/participants/p1/participantSessions/s1"}],
    },
    "tasks:v1": {
        "tasklists": [{"id": "shifts", "title": "Shifts"}, {"id": "spare", "title": "Spare"}],
        "tasks": [
            {**_SHIFTS, "id": "rota", "title": "Rota", "position": f"{0:020}"},
            {
                **_SHIFTS,
                "id": "nights",
                "title": "Nights",
                "position": f"{0:020}",
                "parent": "rota",
            },
            {**_SHIFTS, "id": "till", "due": "2026-11-20T00:00:00.000Z", "position": f"{1:020}"},
            {**_DONE, "id": "keys", "title": "Keys", "position": f"{2:020}"},
            {**_DONE, "id": "lamps", "title": "Lamps", "hidden": True, "position": f"{3:020}"},
            {**_SHIFTS, "id": "chairs", "deleted": True, "position": f"{4:020}"},
            {
                **_SHIFTS,
                "id": "asked",
                "assignmentInfo": {"surfaceType": "SPACE"},
                "position": f"{5:020}",
            },
        ],
    },
}
_LEFT = {
    "name": "folders/730000000009",
    "parent": "organizations/720000000001",
    "displayName": "Left",
    "state": "DELETE_REQUESTED",
    "deleteTime": "2026-11-01T07:00:00Z",
}
_DELETED = {"deleteTime": "2026-11-01T07:00:00Z"}
_SENT = {
    "internalDate": "1795165200000",
    "snippet": "Hello",
    "payload": {"mimeType": "text/plain", "headers": [{"name": "To", "value": "bo@example.com"}]},
    "raw": "VG86IGJvQGV4YW1wbGUuY29tDQpTdWJqZWN0OiBIaQ0KDQpIZWxsbw==",
}
_EMPTY = {"name": "Empty", "orgUnitPath": "/Empty", "orgUnitId": "id:03ph8a2zempty00"}
_GONE = {
    "id": "100000000000000000009",
    "primaryEmail": "gone.person@example.com",
    "name": {"givenName": "Gone", "familyName": "Person", "fullName": "Gone Person"},
    "deletionTime": "2026-11-18T09:00:00.000Z",
    "orgUnitPath": "/",
}
