"""What a Discovery document does not tell: ids there are, bodies with rules of their own."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from mockserver.apis.cloudkms import keys
from tests.conformance import compute

ROBOT = "mock~{session}@shop-prod.iam.gserviceaccount.com"
PERSON, NOBODY, NEW = "ada.lindqvist@example.com", "nobody@example.com", "new.person@example.com"
PERSON_ID = "124062053255204345285"
TEAM, UNIT = "treasury-pilot@example.com", "orgunits/03ph8a2zx3qh4wr"
BROWSER = "8535b27b-2f88-cc37-3846-07429cfc2cfe"
TOKEN = "5xnllp2ty79toks18gg5yg"
LOG = "run.googleapis.com%2Fstderr"
METRIC = 'metric.type="run.googleapis.com/request_count"'
POOL = "projects/415104041262/locations/global/workloadIdentityPools/builders"
START, END = "2026-11-20T06:00:00Z", "2026-11-20T09:00:00Z"

ROOTS = ("projects", "folders", "organizations", "billingAccounts")
"""What resource names start with that may be below anything."""

SEGMENTS: Mapping[str, Sequence[str]] = {
    "projects": ("shop-prod", "415104041262"),
    "folders": ("730000000001",),
    "organizations": ("720000000001",),
    "billingAccounts": ("0A1B2C-3D4E5F-6A7B8C",),
    "locations": ("global", "europe-west1", "-"),
    "buckets": ("_Default", "shop-eu"),
    "views": ("_AllLogs",),
    "customers": ("my_customer",),
    "chromeBrowsers": (BROWSER,),
    "enrollmentTokens": (TOKEN,),
    "clusters": ("prod-eu",),
    "nodePools": ("default-pool",),
    "groups": ("CXOy5wLcDAiRdati",),
    "metricDescriptors": (
        "custom.googleapis.com/cart/cached_carts",
        "run.googleapis.com/request_count",
    ),
    "services": ("checkout",),
    "traces": ("62f746b484e61ceb95bd447e7184d454",),
    "spans": ("00f067aa0ba902b7",),
}
"""Segments of resource names, by the segment before them."""

FIELDS: Mapping[str, Sequence[Any]] = {
    "customer": ("my_customer",),
    "customerId": ("my_customer",),
    "customerKey": ("my_customer",),
    "userKey": (PERSON, "124062053255204345285", NOBODY),
    "groupKey": (TEAM, "01qdwywh9v2glu3", NOBODY),
    "memberKey": ("mira.okafor@example.com", PERSON, NOBODY),
    "domainName": ("labs.example.com", "new.example.com"),
    "domain": ("example.com",),
    "alias": ("also.ada.lindqvist@example.com", f"also.{TEAM}", "more@example.com"),
    "email": (NEW, PERSON, TEAM),
    "primaryEmail": (NEW, PERSON),
    "orgUnitPath": ("/Finance", "/", "/Empty", "/No such unit"),
    "parentOrgUnitPath": ("/Finance", "/"),
    "orgUnitId": ("03ph8a2zx3qh4wr",),
    "deviceId": (BROWSER,),
    "tokenPermanentId": (TOKEN,),
    "projectId": ("shop-prod",),
    "traceId": ("62f746b484e61ceb95bd447e7184d454", "0" * 31 + "1"),
    "resourceNames": ("projects/shop-prod",),
    "targetResource": (UNIT,),
    "policySchema": ("chrome.users.IncognitoMode",),
    "policySchemaFilter": ("chrome.users.*",),
    "resource": ("shop-prod",),
    "filter": ("",),
    "query": ("",),
    "orderBy": ("",),
    "api": ("logging",),
    "version": ("v2",),
    "permissions": ("resourcemanager.projects.get", "logging.logEntries.list"),
    "destinationParent": ("folders/730000000002",),
    "logName": (f"projects/shop-prod/logs/{LOG}", "projects/shop-prod/logs/new"),
    "account": (ROBOT,),
    "zone": ("europe-west1", "-"),
    "clusterId": ("prod-eu",),
    "nodePoolId": ("default-pool",),
    "userId": ("me", PERSON),
    "password": ("a-long-pass-word",),
    "tasklist": ("shifts", "spare", "@default"),
    "task": ("rota", "nights", "till", "keys", "0"),
}
"""Values of parameters and of fields of bodies, by their name."""

_MONITORED = {"name": ("projects/shop-prod",), "filter": (METRIC,)}
_MONITORED |= {"interval.startTime": (START,), "interval.endTime": (END,)}
_HIERARCHY = ("organizations/720000000001", "folders/730000000001")
_QUERY = 'sum({"run.googleapis.com/request_count"})'
_PROMETHEUS = {
    "name": ("projects/shop-prod",),
    "location": ("global",),
    "query": (_QUERY, "up", "sum("),
    "start": (START,),
    "end": (END,),
    "time": (END,),
    "step": ("60", "600s"),
    "limit": ("2",),
    "match": ("up",),
    "match[]": ("up",),
    "label": ("__name__", "service_name"),
}
_MEMBERS = {"groupKey": (TEAM,), "memberKey": ("mira.okafor@example.com",)}

_GROUP = ("groups/01qdwywh9v2glu3",)
_MEMBER = "mira.okafor@example.com"
_MEMBERSHIP = ("groups/01qdwywh9v2glu3/memberships/160208813836545407753",)
_FORUMS = "'cloudidentity.googleapis.com/groups.discussion_forum' in labels"
_OF_MEMBER = {
    "parent": ("groups/-",),
    "query": (f"member_key_id == '{_MEMBER}' && {_FORUMS}",),
}
_DATABASE = "projects/shop-prod/databases/(default)"
_DOCUMENTS = f"{_DATABASE}/documents"
_DOCUMENT = (f"{_DOCUMENTS}/carts/c1", f"{_DOCUMENTS}/carts/none")
_CARTS = {"from": [{"collectionId": "carts"}]}
_GREEN = {"name": _DOCUMENT[0], "fields": {"colour": {"stringValue": "green"}}}
_NO_OBJECT = {"sourceBucket": ("shop",), "sourceObject": ("none",)}
_TASK = {"tasklist": ("shifts", "@default")}
_TILL = "spaces/AAAAtill"
_PLACE = {"parent": ("", "till", "0"), "previous": ("", "rota")}
_CELLS = ("A1:B2", "Sheet1!A:B", "Sheet1", "Nowhere!A1")

_PEOPLE = {
    "personFields": ("names,emailAddresses",),
    "readMask": ("names,emailAddresses",),
    "sources": (["DIRECTORY_SOURCE_TYPE_DOMAIN_PROFILE"],),
}
_LICENCE = {
    "productId": ("Google-Apps",),
    "skuId": ("1010020027",),
    "userId": (PERSON, NOBODY),
}
_SECRET = ("projects/shop-prod/secrets/card",)
_DESK_ROBOT = "projects/shop-prod/serviceAccounts/desk@shop-prod.iam.gserviceaccount.com"
_HERE = "projects/shop-prod/locations/europe-west1"
_WAITING = f"{_HERE}/queues/q/tasks/t1"
_RING = "projects/shop-prod/locations/europe-west1/keyRings/shop"
_CARDS, _SEAL = f"{_RING}/cryptoKeys/cards", f"{_RING}/cryptoKeys/seal"
_FIRST = "cryptoKeyVersions/1"
_SEALED = b64encode(keys.encrypt(_CARDS, 1, b"a", b"")).decode()
_RAW_SEALED = {
    name: b64encode(each).decode()
    for name, each in zip(
        ("ciphertext", "initializationVector"),
        keys.raw_encrypt(f"{_RING}/cryptoKeys/raw/{_FIRST}", "AES_256_GCM", b"a", b""),
        strict=True,
    )
}
_REGIONAL = ("projects/shop-prod/locations/europe-west1/secrets/card",)
_VERSION, _REGIONAL_VERSION = (f"{_SECRET[0]}/versions/1",), (f"{_REGIONAL[0]}/versions/1",)
_ORDERS = ("projects/shop-prod/topics/orders",)
_DESK = ("projects/shop-prod/subscriptions/desk",)
_SALES = {"projectId": ("p",), "datasetId": ("sales",)}
_TABLE = {**_SALES, "tableId": ("orders",), "selectedFields": ("id",)}
PARAMS: Mapping[str, Mapping[str, Sequence[Any]]] = {
    **compute.PARAMS,
    "directory.mobiledevices.*": {"customerId": ("my_customer",), "resourceId": ("mob-1", "no")},
    "directory.chromeosdevices.*": {
        "customerId": ("my_customer",),
        "resourceId": (BROWSER, "no"),
        "orgUnitPath": ("/Finance",),
    },
    "directory.resources.features.*": {"customer": ("my_customer",), "oldName": ("Screen", "No")},
    "directory.roleAssignments.delete": {
        "customer": ("my_customer",),
        "roleAssignmentId": ("7", "8"),
    },
    "directory.roles.*": {"customer": ("my_customer",), "roleId": ("900", "901", "1")},
    "directory.schemas.*": {"customerId": ("my_customer",), "schemaKey": ("s1", "Badge", "No")},
    "datatransfer.applications.*": {"applicationId": ("55656082996", "1")},
    **{
        f"licensing.licenseAssignments.{each}": {**_LICENCE, "customerId": ("my_customer",)}
        for each in ("listForProduct", "listForProductAndSku")
    },
    "vault.matters.holds.accounts.list": {"matterId": ("m1", "no"), "holdId": ("h1",)},
    "licensing.*": {**_LICENCE, "customerId": ("my_customer",)},
    "groupsSettings.groups.*": {"groupUniqueId": (TEAM, NOBODY)},
    "cloudidentity.devices.deviceUsers.lookup": {
        "parent": ("devices/-/deviceUsers",),
        "userId": ("bo@example.com", NOBODY),
    },
    "cloudidentity.devices.deviceUsers.*": {
        "name": ("devices/d1/deviceUsers/u1", "devices/d1/deviceUsers/no"),
    },
    "cloudidentity.devices.*": {"name": ("devices/d1", "devices/no")},
    "vault.matters.reopen": {"matterId": ("m2", "m1")},
    "vault.matters.delete": {"matterId": ("m2", "m1")},
    "vault.matters.undelete": {"matterId": ("m3", "m1")},
    "vault.*": {
        "matterId": ("m1", "no"),
        "holdId": ("h1",),
        "accountId": ("124062053255204345285", "no"),
    },
    "alertcenter.alerts.*": {"alertId": ("al1", "no")},
    "cloudresourcemanager.folders.list": {"parent": _HIERARCHY},
    "cloudresourcemanager.projects.list": {"parent": _HIERARCHY, "filter": ("",)},
    "cloudresourcemanager.projects.undelete": {
        "name": ("projects/shop-legacy",),
        "projectId": ("shop-legacy",),
    },
    "cloudresourcemanager.folders.undelete": {"name": ("folders/730000000009",)},
    "chromemanagement.customers.enrollmentTokens.create": {
        "enrollmentTokenId": ("new-token", TOKEN),
    },
    "directory.users.watch": {"customer": ("my_customer",)},
    "reports.activities.list": {
        "userKey": ("all", PERSON),
        "applicationName": ("chrome",),
        "startTime": ("2026-11-19T00:00:00Z",),
        "endTime": ("2026-11-20T00:00:00Z",),
        "eventName": ("passwordReuseEvent", "unsafeSiteVisitEvent"),
        "filters": ("EVENT_RESULT==EVENT_RESULT_BLOCKED",),
        "orgUnitID": ("id:03ph8a2zx3qh4wr",),
        "actorIpAddress": ("192.0.2.7",),
        "groupIdFilter": ("id:01qdwywh9v2glu3",),
    },
    "reports.*UsageReport*.get": {
        "userKey": ("all", PERSON),
        "date": ("2026-11-17", "2026-11-19"),
        "entityType": ("gplus_communities",),
        "entityKey": ("all",),
        "parameters": ("accounts:is_suspended,accounts:num_users",),
        "filters": ("accounts:is_suspended==false",),
        "orgUnitID": ("id:03ph8a2zx3qh4wr",),
        "groupIdFilter": ("id:01qdwywh9v2glu3",),
        "customerId": ("my_customer",),
    },
    "oauth2.*": {"access_token": ("{token}",), "token": ("{token}",)},
    "iamcredentials.projects.serviceAccounts.*": {
        "name": (f"projects/-/serviceAccounts/{ROBOT}",),
    },
    "apphub.projects.locations.applications.create": {"applicationId": ("night-shop",)},
    "container.projects.zones.*": {
        "projectId": ("shop-prod",),
        "zone": ("europe-west1",),
        "name": ("",),
        "parent": ("",),
    },
    "container.projects.locations.*": {"projectId": ("",), "zone": ("",), "clusterId": ("",)},
    "observability.projects.locations.buckets.patch": {
        "name": ("projects/shop-prod/locations/eu/buckets/_Trace",),
    },
    "gmail.users.messages.batch*": {"userId": ("me", PERSON)},
    "gmail.users.messages.attachments.get": {
        "userId": ("me",),
        "messageId": ("18f3a2b4c5d6e7fb",),
        "id": ("ANGj1", "0"),
    },
    "gmail.users.messages.*": {"userId": ("me", PERSON), "id": ("18f3a2b4c5d6e7f8", "0")},
    "gmail.users.threads.*": {"userId": ("me", PERSON), "id": ("18f3a2b4c5d6e7f8", "0")},
    "calendar.calendars.delete": {"calendarId": ("team@example.com",)},
    "calendar.calendarList.delete": {"calendarId": ("team@example.com",)},
    "calendar.acl.list": {"calendarId": ("primary",)},
    "calendar.events.list": {"calendarId": ("primary",), "showHiddenInvitations": (False,)},
    "calendar.events.instances": {"calendarId": ("primary",), "eventId": ("stand5up",)},
    "calendar.events.*": {
        "calendarId": ("primary",),
        "eventId": ("revue", "0"),
        "destination": ("team@example.com",),
        "showHiddenInvitations": (False,),
    },
    "calendar.settings.get": {"setting": ("timezone",)},
    "calendar.*": {
        "calendarId": ("primary", "team@example.com"),
        "ruleId": ("user:bo@example.com",),
        "showOwnOrganizationOnly": (False,),
    },
    "docs.documents.*": {"documentId": ("minutes", "0")},
    "people.otherContacts.list": _PEOPLE,
    "people.otherContacts.search": {"query": ("di", "x"), **_PEOPLE},
    "people.otherContacts.*": {"resourceName": ("otherContacts/o1", "otherContacts/o9"), **_PEOPLE},
    "chromemanagement.customers.telemetry.devices.get": {
        "name": (f"customers/my_customer/telemetry/devices/{BROWSER}",),
        "readMask": ("name,cpu_info", "name"),
    },
    "chromemanagement.customers.telemetry.devices.list": {"parent": ("customers/my_customer",)},
    "cloudidentity.groups.*SecuritySettings": {
        "name": ("groups/01qdwywh9v2glu3/securitySettings", "groups/no/securitySettings"),
    },
    "people.people.connections.list": {"resourceName": ("people/me",), **_PEOPLE},
    "people.people.searchContacts": {"query": ("cy",), **_PEOPLE},
    "people.people.listDirectoryPeople": _PEOPLE,
    "people.people.searchDirectoryPeople": {"query": ("ada",), **_PEOPLE},
    "people.people.getBatchGet": {"resourceNames": (["people/c1"],), **_PEOPLE},
    "people.people.*": {"resourceName": ("people/c1", "people/c9"), **_PEOPLE},
    "people.contactGroups.*": {"resourceName": ("contactGroups/pals",)},
    "gmail.users.drafts.*": {"userId": ("me",), "id": ("r7", "0")},
    "gmail.users.history.list": {"userId": ("me",), "startHistoryId": ("1000", "0")},
    "gmail.users.settings.*": {
        "userId": ("me",),
        "id": ("f7", "0"),
        **dict.fromkeys(("delegateEmail", "forwardingEmail", "sendAsEmail"), ("cy@example.com",)),
    },
    "gmail.users.labels.*": {"userId": ("me",), "id": ("Label_9", "Label_9", "INBOX")},
    "cloudidentity.groups.list": {"parent": ("customers/my_customer",)},
    "cloudidentity.groups.search": {
        "query": (f"parent == 'customers/C03xq7b2k' && {_FORUMS}", "parent =="),
    },
    "cloudidentity.groups.lookup": {"groupKey.id": (TEAM, NOBODY)},
    "cloudidentity.groups.get": {"name": _GROUP},
    "cloudidentity.groups.patch": {"name": _GROUP, "updateMask": ("displayName",)},
    "cloudidentity.groups.delete": {"name": _GROUP},
    "cloudidentity.groups.memberships.searchDirectGroups": _OF_MEMBER,
    "cloudidentity.groups.memberships.searchTransitiveGroups": _OF_MEMBER,
    "cloudidentity.groups.memberships.checkTransitiveMembership": {
        "parent": _GROUP,
        "query": (f"member_key_id == '{_MEMBER}'", ""),
    },
    "cloudidentity.groups.memberships.lookup": {
        "parent": _GROUP,
        "memberKey.id": (_MEMBER, PERSON),
    },
    "cloudidentity.groups.memberships.get": {"name": _MEMBERSHIP},
    "cloudidentity.groups.memberships.delete": {"name": _MEMBERSHIP},
    "cloudidentity.groups.memberships.modifyMembershipRoles": {"name": _MEMBERSHIP},
    "cloudidentity.groups.memberships.*": {"parent": _GROUP},
    "bigquery.datasets.list": {"projectId": ("p",)},
    "bigquery.tables.list": _SALES,
    "bigquery.tabledata.list": _TABLE,
    "bigquery.jobs.list": {"projectId": ("p",)},
    "bigquery.jobs.getQueryResults": {"projectId": ("p",), "jobId": ("j2", "j1")},
    "bigquery.routines.list": _SALES,
    "bigquery.models.list": _SALES,
    "bigquery.datasets.*": {"projectId": ("p",), "datasetId": ("sales", "mine")},
    "bigquery.jobs.*": {"projectId": ("p",), "jobId": ("j1",), "location": ("",)},
    "bigquery.tabledata.*": _TABLE,
    "bigquery.tables.*": _TABLE,
    "bigquery.routines.*": {**_SALES, "routineId": ("half",)},
    "bigquery.models.*": {**_SALES, "modelId": ("guess",)},
    "bigquery.projects.*": {"projectId": ("p",)},
    "bigquerystorage.projects.createReadSession": {"parent": ("projects/p", "projects/q")},
    "drive.files.export": {"fileId": ("prices",), "mimeType": ("text/csv", "text/html")},
    "drive.files.*": {"fileId": ("prices",)},
    "drive.links.*": {
        "app": ("documents", "spreadsheets"),
        **dict.fromkeys(("fileId", "id"), ("prices",)),
        **dict.fromkeys(("format", "exportFormat"), ("csv",)),
    },
    "drive.children.*": {"folderId": ("root",), "childId": ("prices",)},
    "drive.parents.*": {"fileId": ("prices",), "parentId": ("root",)},
    "drive.properties.*": {
        "fileId": ("prices",),
        "propertyKey": ("team",),
        "visibility": ("PUBLIC",),
    },
    **{
        f"drive.{name}.*": {
            "fileId": ("prices",),
            "commentId": ("c1",),
            "replyId": ("p1",),
            "revisionId": ("v1",),
        }
        for name in ("comments", "replies", "revisions")
    },
    "drive.comments.list": {"fileId": ("prices",)},
    "drive.replies.list": {"fileId": ("prices",), "commentId": ("c1",)},
    "drive.revisions.list": {"fileId": ("prices",)},
    **{f"drive.{name}.list": {"fileId": ("prices",)} for name in ("parents", "properties")},
    "drive.children.list": {"folderId": ("root",)},
    "drive.changes.list": {"pageToken": ("1",)},
    "slides.presentations.pages.*": {"presentationId": ("deck",), "pageObjectId": ("p",)},
    "slides.presentations.*": {"presentationId": ("deck", "0")},
    "forms.forms.*": {"formId": ("survey", "0")},
    "drive.permissions.create": {"fileId": ("prices",)},
    "drive.permissions.list": {"fileId": ("prices",)},
    "drive.permissions.*": {"fileId": ("prices",), "permissionId": ("2",)},
    "sheets.spreadsheets.get": {"spreadsheetId": ("prices",), "ranges": ("A1:B2", "Sheet1")},
    "sheets.spreadsheets.batchUpdate": {"spreadsheetId": ("prices",)},
    "sheets.spreadsheets.values.batchGet": {"spreadsheetId": ("prices",), "ranges": _CELLS},
    "sheets.spreadsheets.values.*": {
        "spreadsheetId": ("prices",),
        "range": _CELLS,
        "valueInputOption": ("RAW", "USER_ENTERED"),
    },
    "pubsub.projects.topics.create": {"name": ("projects/shop-prod/topics/new-orders",)},
    "pubsub.projects.topics.*": {"topic": _ORDERS},
    "pubsub.projects.subscriptions.create": {"name": ("projects/shop-prod/subscriptions/new",)},
    "pubsub.projects.subscriptions.patch": {"name": _DESK},
    "pubsub.projects.subscriptions.*": {"subscription": _DESK},
    "pubsub.projects.snapshots.create": {"name": ("projects/shop-prod/snapshots/new",)},
    "pubsub.projects.snapshots.delete": {"snapshot": ("projects/shop-prod/snapshots/told",)},
    "serviceusage.services.batch*": {
        "parent": ("projects/shop-prod",),
        "names": (["projects/shop-prod/services/run.googleapis.com"],),
    },
    "serviceusage.services.get": {"name": ("projects/shop-prod/services/run.googleapis.com",)},
    "iam.projects.roles.list": {"parent": ("projects/shop-prod",)},
    "iam.projects.roles.undelete": {"name": ("projects/shop-prod/roles/gone",)},
    "iam.projects.roles.*": {"name": ("projects/shop-prod/roles/auditor",)},
    "iam.organizations.roles.list": {"parent": ("organizations/720000000001",)},
    "iam.organizations.roles.undelete": {"name": ("organizations/720000000001/roles/gone",)},
    "iam.organizations.roles.*": {"name": ("organizations/720000000001/roles/auditor",)},
    "iam.*.keys.get": {"name": (f"{_DESK_ROBOT}/keys/k1",)},
    "iam.projects.serviceAccounts.*": {"name": (_DESK_ROBOT,)},
    **{
        f"dns.{noun}.list": {"project": ("shop-prod",), "managedZone": ("z",)}
        for noun in ("changes", "resourceRecordSets")
    },
    **{
        f"sql.{noun}.list": {"project": ("shop-prod",), "instance": ("db",)}
        for noun in ("backupRuns", "databases", "instances", "users")
    },
    "dns.managedZones.delete": {"project": ("shop-prod",), "managedZone": ("empty",)},
    "dns.*": {
        "project": ("shop-prod",),
        "managedZone": ("z",),
        "name": ("www.example.com.",),
        "type": ("A",),
    },
    "sql.instances.promoteReplica": {"project": ("shop-prod",), "instance": ("copy",)},
    "sql.instances.delete": {"project": ("shop-prod",), "instance": ("copy",)},
    "sql.*": {"project": ("shop-prod",), "instance": ("db",), "name": ("ann",)},
    "run.projects.locations.services.create": {"parent": (_HERE,), "serviceId": ("night",)},
    "run.projects.locations.jobs.create": {"parent": (_HERE,), "jobId": ("night",)},
    "run.projects.locations.services.revisions.delete": {
        "name": (f"{_HERE}/services/web/revisions/web-1",),
    },
    "run.projects.locations.services.*": {"name": (f"{_HERE}/services/web",)},
    "run.projects.locations.jobs.executions.*": {"name": (f"{_HERE}/jobs/sweep/executions/e",)},
    "run.projects.locations.jobs.*": {"name": (f"{_HERE}/jobs/sweep",)},
    "cloudscheduler.*.jobs.resume": {"name": (f"{_HERE}/jobs/paused",)},
    "cloudscheduler.*.jobs.*": {"name": (f"{_HERE}/jobs/nightly",), "parent": (_HERE,)},
    "cloudtasks.*.queues.create": {"parent": (_HERE,)},
    "cloudtasks.*.queues.tasks.buffer": {"queue": (f"{_HERE}/queues/told",), "taskId": ("new",)},
    "cloudtasks.*.queues.tasks.*": {"parent": (f"{_HERE}/queues/q",), "name": (_WAITING,)},
    "cloudtasks.*.queues.*": {"name": (f"{_HERE}/queues/q",)},
    "cloudkms.*.cryptoKeys.create": {"parent": (_RING,), "cryptoKeyId": ("new",)},
    "cloudkms.*.cryptoKeyVersions.create": {"parent": (_CARDS,)},
    "cloudkms.*.cryptoKeyVersions.mac*": {"name": (f"{_RING}/cryptoKeys/mac/{_FIRST}",)},
    "cloudkms.*.cryptoKeyVersions.raw*": {"name": (f"{_RING}/cryptoKeys/raw/{_FIRST}",)},
    "cloudkms.*.cryptoKeyVersions.delete": {"name": (f"{_CARDS}/cryptoKeyVersions/3",)},
    "cloudkms.*.cryptoKeys.delete": {"name": (f"{_RING}/cryptoKeys/empty",)},
    "cloudkms.*.cryptoKeyVersions.restore": {"name": (f"{_CARDS}/cryptoKeyVersions/2",)},
    "cloudkms.*.cryptoKeyVersions.[gda]*": {"name": (f"{_SEAL}/{_FIRST}",)},
    "cloudkms.*.cryptoKeyVersions.*": {"name": (f"{_CARDS}/{_FIRST}",)},
    "cloudkms.*.cryptoKeys.*": {"name": (_CARDS,)},
    "cloudkms.*.generateRandomBytes": {"location": ("projects/shop-prod/locations/global",)},
    "secretmanager.projects.secrets.versions.*": {"name": _VERSION},
    "secretmanager.projects.secrets.addVersion": {"parent": _SECRET},
    "secretmanager.*.create": {"secretId": ("new",)},
    "secretmanager.projects.secrets.*": {"name": _SECRET},
    "secretmanager.projects.locations.secrets.versions.*": {"name": _REGIONAL_VERSION},
    "secretmanager.projects.locations.secrets.addVersion": {"parent": _REGIONAL},
    "secretmanager.projects.locations.secrets.*": {"name": _REGIONAL},
    "storage.buckets.restore": {"bucket": ("gone",), "generation": ("9",)},
    "storage.buckets.*": {"bucket": ("shop", "spare"), "ifMetagenerationMatch": ("1",)},
    "storage.notifications.insert": {"bucket": ("shop",)},
    "storage.objects.restore": {"bucket": ("shop",), "object": ("told",), "generation": ("7",)},
    "storage.projects.hmacKeys.*": {"projectId": ("shop-prod",), "accessId": ("GOOG1TOLD",)},
    **{
        f"storage.{each}.{verb}": {
            "bucket": ("shop",),
            "object": ("told",),
            "entity": ("user-ann@example.com",),
        }
        for each in ("bucketAccessControls", "defaultObjectAccessControls", "objectAccessControls")
        for verb in ("list", "*")
    },
    "storage.objects.insert": {"bucket": ("shop",), "name": ("a/b", "told")},
    "storage.objects.compose": {"destinationBucket": ("shop",)},
    "storage.objects.copy": _NO_OBJECT,
    "storage.objects.rewrite": _NO_OBJECT,
    "storage.objects.move": {"bucket": ("shop",), "sourceObject": ("none",)},
    "storage.objects.*": {"bucket": ("shop",), "object": ("told",)},
    **{
        f"firestore.projects.databases.documents.{verb}": {
            "name": _DOCUMENT,
            "updateMask.fieldPaths": (["colour"], ["`a-b`.c"]),
            "mask.fieldPaths": (["colour"], ["a..b"]),
            "readTime": (END,),
            "transaction": ("",),
            "currentDocument.exists": (True,),
        }
        for verb in ("get", "patch", "delete")
    },
    "firestore.projects.databases.documents.list": {
        "parent": _DOCUMENT,
        "collectionId": ("items",),
    },
    "firestore.projects.databases.documents.listDocuments": {
        "parent": (_DOCUMENTS,),
        "collectionId": ("carts", "__x__"),
    },
    "firestore.projects.databases.documents.*": {
        "database": (_DATABASE,),
        "parent": (_DOCUMENTS,),
        "collectionId": ("carts", "__x__"),
        "documentId": ("c9", "c1"),
        "mask.fieldPaths": (["colour"], ["a..b"]),
        "orderBy": ("", "count desc", "`"),
        "readTime": (END,),
        "transaction": ("",),
    },
    "chat.spaces.search": {
        "query": ('displayName:"Till" AND spaceType = "SPACE"',),
        "useAdminAccess": (False,),
    },
    "chat.spaces.findDirectMessage": {"name": (f"users/{PERSON}", "users/none")},
    "chat.spaces.findGroupChats": {"users": ([f"users/{PERSON}"], ["users/app"])},
    "chat.spaces.members.patch": {"updateMask": ("role",)},
    "chat.spaces.members.create": {"parent": (_TILL,)},
    "chat.spaces.messages.create": {
        "parent": (_TILL, "spaces/AAAAdm"),
        "messageId": ("client-a", "b"),
        "threadKey": ("k",),
        "messageReplyOption": ("REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD", "REPLY_MESSAGE_OR_FAIL"),
    },
    "chat.spaces.messages.list": {"orderBy": ("DESC",), "parent": (_TILL,)},
    "chat.spaces.messages.search": {"parent": ("spaces/-", _TILL)},
    "chat.spaces.messages.reactions.*": {"parent": (f"{_TILL}/messages/one.one",)},
    **{
        f"chat.spaces.messages.{verb}": {"updateMask": ("text", "*")}
        for verb in ("patch", "update")
    },
    "chat.users.spaces.updateSpaceReadState": {
        "name": (f"users/me/{_TILL}/spaceReadState",),
        "updateMask": ("lastReadTime",),
    },
    "chat.users.spaces.getSpaceReadState": {"name": (f"users/me/{_TILL}/spaceReadState",)},
    "chat.users.spaces.threads.*": {"name": (f"users/me/{_TILL}/threads/one/threadReadState",)},
    "chat.users.spaces.spaceNotificationSetting.*": {
        "name": (f"users/me/{_TILL}/spaceNotificationSetting",),
        "updateMask": ("muteSetting",),
    },
    "chat.users.availability.*": {
        "name": ("users/me/availability",),
        "updateMask": ("customStatus",),
    },
    "keep.notes.permissions.*": {"parent": ("notes/shared", "notes/milk")},
    "meet.spaces.members.*": {"parent": ("spaces/jQCFfuBOdN5z", "spaces/abc-mnop-xyz")},
    "meet.spaces.*": {"name": ("spaces/jQCFfuBOdN5z", "spaces/abc-mnop-xyz", "spaces/none")},
    "tasks.tasks.get": _TASK,
    "tasks.tasks.patch": _TASK,
    "tasks.tasks.update": _TASK,
    "tasks.tasks.delete": _TASK,
    "tasks.tasks.move": {**_TASK, **_PLACE, "destinationTasklist": ("shifts", "@default")},
    "tasks.tasks.insert": {"tasklist": ("shifts", "@default"), **_PLACE},
    "directory.users.undelete": {"userKey": ("100000000000000000009",)},
    "directory.members.hasMember": _MEMBERS,
    "directory.members.patch": _MEMBERS,
    "monitoring.folders.timeSeries.list": {**_MONITORED, "name": ("folders/730000000001",)},
    "monitoring.organizations.timeSeries.list": {
        **_MONITORED,
        "name": ("organizations/720000000001",),
    },
    "monitoring.projects.timeSeries.list": _MONITORED,
    "monitoring.projects.location.prometheus.*": _PROMETHEUS,
}
"""Values of parameters of one method; they are always sent."""

_KEY = {"targetResource": UNIT}
_IN_GROUP = {"targetResource": "groups/01qdwywh9v2glu3"}
_VALUE = {
    "policySchema": "chrome.users.IncognitoMode",
    "value": {"incognitoModeAvailability": "FORCED"},
}
_MASK = "incognitoModeAvailability"
_ORDERED = {
    "policySchema": "chrome.users.apps.InstallType",
    "policyTargetKey": {"additionalTargetKeys": {"app_id": "chrome:aaaabbbbccccdddd"}},
}
_SET = {"policyValue": _VALUE, "updateMask": _MASK}
_LEAVE = {"policySchema": "chrome.users.IncognitoMode"}
_OWN_SERIES = {
    "metric": {"type": "custom.googleapis.com/orders", "labels": {"shop": "eu"}},
    "resource": {"type": "global", "labels": {"project_id": "shop-prod"}},
    "points": [{"interval": {"endTime": "2026-11-20T08:59:30Z"}, "value": {"int64Value": "3"}}],
}
_RAW = "VG86IGJvQGV4YW1wbGUuY29tDQpTdWJqZWN0OiBIaQ0KDQpIZWxsbw=="
_ENTRIES = "projects/shop-prod/locations/global/buckets/_Default/views/_AllLogs"
_REFRESH = {
    "grant_type": "refresh_token",
    "client_id": "any.apps.googleusercontent.com",
    "client_secret": "any",
    "refresh_token": "1//any",
}

_CONTACT = {"names": [{"givenName": "naïve", "familyName": "☂"}]}
_EVENT = {
    "summary": "naïve ☂",
    "start": {"dateTime": "2026-11-24T09:00:00Z", "timeZone": "UTC"},
    "end": {"dateTime": "2026-11-24T10:00:00Z", "timeZone": "UTC"},
    "attendees": [{"email": "bo@example.com"}],
}
_SCHEMA = {"fields": [{"name": "id", "type": "INTEGER"}]}
_WRITTEN: Mapping[str, Sequence[Any]] = {
    "batchGet": [{"documents": [*_DOCUMENT]}, {"documents": ["x"]}],
    "batchWrite": [{"writes": [{"update": _GREEN}, {"delete": "x"}]}],
    "beginTransaction": [{"options": {"readOnly": {}}}, {}],
    "commit": [
        {"writes": [{"update": _GREEN, "updateMask": {"fieldPaths": ["colour"]}}]},
        {"writes": [{"delete": _DOCUMENT[0], "currentDocument": {"exists": True}}]},
        {"writes": [{"verify": _DOCUMENT[1], "currentDocument": {"exists": False}}]},
    ],
    "createDocument": [{"fields": _GREEN["fields"]}, {"fields": {"a": {}}}],
    "patch": [{"fields": _GREEN["fields"]}],
    "listCollectionIds": [{}, {"pageSize": 1}],
    "listen": [
        {"addTarget": {"targetId": 1, "documents": {"documents": [_DOCUMENT[0]]}}},
        {"addTarget": {"query": {"parent": _DOCUMENTS, "structuredQuery": _CARTS}}},
        {"removeTarget": 1},
    ],
    "partitionQuery": [
        {
            "structuredQuery": {
                "from": [{"collectionId": "carts", "allDescendants": True}],
                "orderBy": [{"field": {"fieldPath": "__name__"}}],
            },
            "partitionCount": "2",
        },
    ],
    "runAggregationQuery": [
        {
            "structuredAggregationQuery": {
                "structuredQuery": _CARTS,
                "aggregations": [{"count": {"upTo": "3"}}, {"alias": "n", "count": {}}],
            }
        },
    ],
    "runQuery": [
        {"structuredQuery": {**_CARTS, "limit": 2}},
        {
            "structuredQuery": {
                **_CARTS,
                "where": {
                    "fieldFilter": {
                        "field": {"fieldPath": "count"},
                        "op": "GREATER_THAN",
                        "value": {"integerValue": "1"},
                    }
                },
                "orderBy": [{"field": {"fieldPath": "count"}, "direction": "DESCENDING"}],
                "limit": 2,
            }
        },
    ],
    "write": [{}, {"writes": [{"update": _GREEN}]}],
}
_ADA = {"member": {"name": f"users/{PERSON}", "type": "HUMAN"}}
BODIES: Mapping[str, Sequence[Any]] = {
    "directory.members.insert": [{"email": "guest@example.org"}, {"email": ""}],
    "dns.managedZones.create": [{"name": "y", "dnsName": "example.org.", "description": "y"}],
    "dns.changes.create": [
        {"additions": [{"name": "a.example.com.", "type": "A", "ttl": 5, "rrdatas": ["192.0.2.1"]}]}
    ],
    "dns.resourceRecordSets.create": [
        {"name": "a.example.com.", "type": "A", "ttl": 5, "rrdatas": ["192.0.2.1"]}
    ],
    "dns.resourceRecordSets.patch": [{"ttl": 5}],
    "sql.instances.insert": [{"name": "new", "settings": {"tier": "t"}}],
    "sql.instances.clone": [{"cloneContext": {"destinationInstanceName": "twin"}}],
    "sql.instances.restoreBackup": [{"restoreBackupContext": {"backupRunId": "7"}}],
    "sql.instances.patch": [{"settings": {"tier": "u"}}],
    "sql.instances.update": [{"settings": {"tier": "u"}}],
    "sql.databases.insert": [{"name": "new"}],
    "sql.users.*": [{"name": "bo", "password": "x"}],
    "sql.*": [{}],
    "run.projects.locations.services.*": [{"template": {"containers": [{"image": "api"}]}}],
    "run.projects.locations.jobs.create": [
        {"template": {"template": {"containers": [{"image": "api"}]}}}
    ],
    "run.*": [{}],
    "container.projects.*.nodePools.create": ({"nodePool": {"name": "night"}},),
    "container.projects.*.clusters.create": (
        {"cluster": {"name": "night", "initialNodeCount": 1}},
    ),
    "container.projects.*ocations": ({"locations": ["europe-west1-b"]},),
    **compute.BODIES,
    "cloudidentity.groups.updateSecuritySettings": [
        {"memberRestriction": {"query": "member.type == 1"}},
    ],
    "people.otherContacts.*": [{"copyMask": "names"}, {"copyMask": "urls"}],
    "directory.chromeosdevices.action": [
        {"action": "disable"},
        {"action": "deprovision", "deprovisionReason": "retiring_device"},
    ],
    "directory.chromeosdevices.moveDevicesToOu": [{"deviceIds": [BROWSER]}],
    "directory.mobiledevices.action": [{"action": "block"}, {"action": "fly"}],
    "directory.resources.features.rename": [{"newName": "Beamer"}, {}],
    "directory.roleAssignments.insert": [{"roleId": "900", "assignedTo": PERSON_ID}],
    "directory.roles.*": [{"roleName": "Night", "rolePrivileges": []}],
    "datatransfer.transfers.insert": [
        {"oldOwnerUserId": PERSON, "newOwnerUserId": "mira.okafor@example.com"},
    ],
    "licensing.licenseAssignments.insert": [{"userId": "mira.okafor@example.com"}],
    "licensing.licenseAssignments.*": [{"skuId": "1010020028"}],
    "cloudidentity.devices.*": [{"customer": "customers/my_customer"}],
    "vault.matters.addPermissions": [
        {"matterPermission": {"accountId": PERSON_ID, "role": "COLLABORATOR"}},
    ],
    "vault.matters.removePermissions": [{"accountId": PERSON_ID}],
    "vault.matters.holds.create": [{"name": "All", "accounts": [{"email": PERSON}]}],
    "vault.matters.holds.*HeldAccounts": [{"accountIds": [PERSON_ID]}, {"emails": [NOBODY]}],
    "vault.matters.holds.accounts.create": [{"accountId": PERSON_ID}],
    "directory.orgunits.insert": [
        {"name": "Night shift", "parentOrgUnitPath": "/Finance"},
        {"name": "Night shift", "parentOrgUnitPath": "/", "description": "naïve ☂"},
    ],
    "gmail.users.watch": [{"topicName": "projects/shop-prod/topics/mail"}],
    "*.watch": [{"id": "c1", "type": "web_hook", "address": "https://hooks.example.com/"}],
    "serviceusage.services.batchEnable": [{"serviceIds": ["run.googleapis.com"]}],
    "iam.*.signJwt": [{"payload": '{"sub": "me"}'}],
    "iam.*.signBlob": [{"bytesToSign": "YQ=="}],
    "iam.*": [{}],
    "cloudscheduler.*.jobs.create": [
        {"schedule": "* * * * *", "httpTarget": {"uri": "https://worker.example.com/"}},
    ],
    "cloudscheduler.*.jobs.patch": [{"description": "Each night"}, {"schedule": "0 4 * * *"}],
    "cloudscheduler.*": [{}],
    "cloudtasks.*.queues.create": [{"name": f"{_HERE}/queues/new"}],
    "cloudtasks.*.tasks.create": [
        {"task": {"httpRequest": {"url": "https://worker.example.com/"}}},
        {"task": {"name": _WAITING, "appEngineHttpRequest": {}}, "responseView": "FULL"},
    ],
    "cloudtasks.*.tasks.buffer": [{"body": {"data": "YQ=="}}],
    "cloudtasks.*": [{}],
    "cloudkms.*.cryptoKeys.create": [{"purpose": "ENCRYPT_DECRYPT"}, {"purpose": "MAC"}],
    "cloudkms.*.updatePrimaryVersion": [{"cryptoKeyVersionId": "1"}],
    "cloudkms.*.encrypt": [{"plaintext": "YQ=="}],
    "cloudkms.*.decrypt": [{"ciphertext": _SEALED}],
    "cloudkms.*.rawEncrypt": [{"plaintext": "YQ=="}],
    "cloudkms.*.rawDecrypt": [_RAW_SEALED],
    "cloudkms.*.asymmetricSign": [{"data": "YQ=="}],
    "cloudkms.*.mac*": [{"data": "YQ==", "mac": "YQ=="}],
    "cloudkms.*.generateRandomBytes": [{"lengthBytes": 16}],
    "cloudkms.*.cryptoKeyVersions.patch": [{"state": "DISABLED"}],
    "cloudkms.*.cryptoKeyVersions.*": [{}],
    "secretmanager.*.versions.*": [{}],
    "secretmanager.*.addVersion": [{"payload": {"data": "YQ=="}}],
    "secretmanager.*.create": [{"replication": {"automatic": {}}}],
    "secretmanager.*.patch": [{"labels": {"team": "eu"}}, {"versionAliases": {"old": "1"}}],
    "pubsub.projects.topics.create": [{"labels": {"team": "eu"}}, {}],
    "pubsub.projects.topics.publish": [{"messages": [{"data": "YQ=="}]}],
    "pubsub.projects.subscriptions.create": [{"topic": _ORDERS[0]}],
    "pubsub.projects.subscriptions.patch": [
        {"subscription": {"ackDeadlineSeconds": 60}, "updateMask": "ackDeadlineSeconds"}
    ],
    "pubsub.projects.subscriptions.pull": [{"maxMessages": 2}, {"maxMessages": 0}],
    "pubsub.projects.subscriptions.streamingPull": [{"streamAckDeadlineSeconds": 10}],
    "pubsub.projects.subscriptions.acknowledge": [{"ackIds": ["MTAwMDAwMDAwMDAwMDAwMH4w"]}],
    "pubsub.projects.subscriptions.modifyAckDeadline": [
        {"ackIds": ["MTAwMDAwMDAwMDAwMDAwMH4w"], "ackDeadlineSeconds": 20}
    ],
    "pubsub.projects.subscriptions.modifyPushConfig": [{"pushConfig": {}}],
    "pubsub.projects.subscriptions.seek": [
        {"time": "2026-11-20T08:00:00Z"},
        {"snapshot": "projects/shop-prod/snapshots/told"},
    ],
    "pubsub.projects.snapshots.create": [{"subscription": _DESK[0]}],
    "directory.*.aliases.insert": [{"alias": "more@example.com"}],
    "monitoring.projects.location.prometheus.*": [
        {"query": _QUERY, "start": START, "end": END, "step": "60", "match": "up", "time": END},
        {"query": "up", "start": START, "end": END, "step": "60"},
    ],
    "drive.comments.*": [{"content": "why?"}],
    "drive.replies.*": [{"content": "so"}],
    "drive.revisions.*": [{"published": True}],
    "drive.properties.*": [{"key": "team", "value": "red", "visibility": "PUBLIC"}],
    "drive.children.insert": [{"id": "prices"}],
    "drive.parents.insert": [{"id": "root"}],
    "slides.presentations.create": [{"title": "naïve ☂"}, {}],
    "slides.presentations.batchUpdate": [
        {"requests": [{"createSlide": {"objectId": "slide7"}}]},
        {"requests": [{"insertText": {"objectId": "p_i0", "text": "naïve ☂"}}]},
    ],
    "forms.forms.create": [{"info": {"title": "naïve ☂"}}],
    "forms.forms.batchUpdate": [
        {"requests": [{"updateFormInfo": {"info": {"title": "New"}, "updateMask": "title"}}]},
    ],
    "forms.forms.setPublishSettings": [{"publishSettings": {"publishState": {}}}],
    "storage.buckets.insert": [{"name": "new-shop"}],
    "storage.*AccessControls.insert": [{"entity": "user-bo@example.com", "role": "READER"}],
    "drive.permissions.*": [{"type": "user", "role": "reader", "emailAddress": PERSON}],
    "bigquery.datasets.insert": [{"datasetReference": {"datasetId": "new"}}],
    "bigquery.datasets.*": [{"labels": {"team": "ops"}}, {"description": "naïve ☂"}],
    "bigquery.tables.insert": [{"tableReference": {"tableId": "new"}, "schema": _SCHEMA}],
    "bigquery.tables.*": [{"description": "naïve ☂"}, {"schema": {"fields": []}}],
    "bigquery.tabledata.insertAll": [{"rows": [{"json": {"id": 7}}, {"json": {"id": "x"}}]}],
    "bigquery.jobs.insert": [
        {"configuration": {"query": {"query": "SELECT 1"}}},
        {"configuration": {"load": {}, "query": {}}},
    ],
    "bigquery.jobs.query": [{"query": "SELECT 1"}, {"query": "SELEC 1"}],
    "bigquerystorage.projects.createReadSession": [
        {"readSession": {"table": f"projects/p/datasets/sales/tables/{each}", "dataFormat": form}}
        for each, form in (("orders", "AVRO"), ("orders", "ARROW"), ("no", "AVRO"))
    ],
    "bigquery.routines.*": [
        {
            "routineReference": {"projectId": "p", "datasetId": "sales", "routineId": each},
            "routineType": "SCALAR_FUNCTION",
            "definitionBody": "1",
        }
        for each in ("half", "new")
    ],
    "bigquery.models.patch": [{"description": "naïve ☂"}],
    "gmail.users.messages.send": [{"raw": _RAW}],
    "calendar.calendars.*": [{"summary": "naïve ☂"}, {}],
    "calendar.calendarList.insert": [{"id": "team@example.com", "colorId": "3"}],
    "calendar.calendarList.*": [{"colorId": "3"}],
    "calendar.acl.insert": [
        {"role": "reader", "scope": {"type": "user", "value": "cy@example.com"}},
        {"role": "reader", "scope": {"type": "default"}},
        {"role": "king"},
    ],
    "calendar.acl.*": [{"role": "writer"}],
    "calendar.events.import": [{**_EVENT, "iCalUID": "1@example.com"}],
    "calendar.events.patch": [{"summary": "More"}],
    "calendar.events.*": [_EVENT, {**_EVENT, "recurrence": ["RRULE:FREQ=DAILY"]}, {}],
    "calendar.freebusy.query": [
        {
            "timeMin": "2026-11-20T00:00:00Z",
            "timeMax": "2026-11-27T00:00:00Z",
            "items": [{"id": "primary"}, {"id": "nobody@example.org"}],
        },
    ],
    "docs.documents.create": [{"title": "naïve ☂"}, {}],
    "docs.documents.batchUpdate": [
        {"requests": [{"insertText": {"location": {"index": 1}, "text": "naïve ☂\n"}}]},
        {"requests": [{"insertTable": {"rows": 2, "columns": 2, "location": {"index": 1}}}]},
        {"requests": [{"insertText": {"location": {"index": 99}, "text": "x"}}]},
    ],
    "people.people.batchCreateContacts": [{"contacts": [{"contactPerson": _CONTACT}]}],
    "people.people.batchDeleteContacts": [{"resourceNames": ["people/c1"]}],
    "people.people.*": [_CONTACT, {}],
    "people.contactGroups.*": [{"contactGroup": {"name": "naïve ☂"}}, {}],
    "gmail.users.drafts.send": [{"id": "r7"}, {"id": "r7", "message": {"raw": _RAW}}],
    "gmail.users.drafts.*": [{"message": {"raw": _RAW}}],
    "gmail.users.settings.filters.create": [
        {"criteria": {"from": "bo"}, "action": {"addLabelIds": ["STARRED"]}},
    ],
    **{
        f"gmail.users.settings.{name}.*": [{field: "cy@example.com"}, {field: "di@example.com"}]
        for name, field in (
            ("delegates", "delegateEmail"),
            ("forwardingAddresses", "forwardingEmail"),
            ("sendAs", "sendAsEmail"),
        )
    },
    "gmail.users.settings.updateAutoForwarding": [{"enabled": False}],
    "gmail.users.messages.insert": [{"raw": _RAW, "labelIds": ["INBOX"]}],
    "gmail.users.messages.import": [{"raw": _RAW}],
    "gmail.users.messages.batchModify": [
        {"ids": ["18f3a2b4c5d6e7f8"], "addLabelIds": ["STARRED"]},
        {"ids": ["0"], "addLabelIds": ["STARRED"]},
    ],
    "gmail.users.threads.modify": [{"addLabelIds": ["STARRED"]}, {}],
    "gmail.users.labels.*": [{"name": "Later"}, {"name": "INBOX"}],
    "cloudidentity.groups.create": [
        {
            "groupKey": {"id": "new.team@example.com"},
            "parent": "customers/my_customer",
            "labels": {"cloudidentity.googleapis.com/groups.discussion_forum": ""},
        },
    ],
    "cloudidentity.groups.patch": [{"displayName": "Pilots"}],
    "cloudidentity.groups.memberships.create": [
        {"preferredMemberKey": {"id": PERSON}, "roles": [{"name": "MEMBER"}]},
        {"preferredMemberKey": {"id": NOBODY}, "roles": [{"name": "NONE"}]},
    ],
    "cloudidentity.groups.memberships.modifyMembershipRoles": [
        {"addRoles": [{"name": "OWNER"}]},
        {"removeRoles": ["MEMBER"]},
    ],
    **{f"firestore.projects.databases.documents.{verb}": each for verb, each in _WRITTEN.items()},
    "chat.spaces.create": [{"displayName": "naïve ☂", "spaceType": "SPACE"}, {"displayName": "x"}],
    "chat.spaces.setup": [
        {"space": {"spaceType": "DIRECT_MESSAGE"}, "memberships": [_ADA]},
        {"space": {"spaceType": "SPACE", "displayName": "naïve ☂"}, "memberships": [_ADA]},
        {"space": {"spaceType": "GROUP_CHAT"}, "memberships": [_ADA]},
    ],
    "chat.spaces.patch": [{"displayName": "naïve ☂"}],
    "chat.spaces.members.create": [
        {"member": {"name": f"users/{PERSON}", "type": "HUMAN"}},
        {},
        {"groupMember": {"name": "groups/none"}},
    ],
    "chat.spaces.members.patch": [{"role": "ROLE_MANAGER"}],
    "chat.spaces.messages.create": [
        {"text": f"naïve <users/{PERSON}>", "thread": {"threadKey": "k"}},
        {"text": "Hi", "thread": {"name": f"{_TILL}/threads/one"}},
        {},
    ],
    "chat.spaces.messages.search": [{"filter": "one"}, {"filter": "is_unread() has_link()"}],
    "chat.spaces.messages.reactions.create": [
        {"emoji": {"unicode": "\U0001f44d"}},
        {"emoji": {"unicode": "\u2602"}},
    ],
    **{f"chat.spaces.messages.{verb}": [{"text": "naïve ☂"}, {}] for verb in ("patch", "update")},
    "keep.notes.create": [{"title": "naïve ☂"}, {}],
    "keep.notes.permissions.batchCreate": [
        {"requests": [{"permission": {"email": "bo@example.com", "role": "WRITER"}}]},
        {"requests": [{"permission": {"email": "bo@example.com", "role": "OWNER"}}]},
    ],
    "keep.notes.permissions.batchDelete": [
        {"names": ["notes/shared/permissions/2"]},
        {"names": ["notes/shared/permissions/1"]},
    ],
    "meet.spaces.members.create": [{"email": "cy@example.com", "role": "COHOST"}, {}],
    "tasks.tasklists.*": [{"title": "More"}, {"title": "naïve ☂", "id": "other"}],
    "tasks.tasks.*": [
        {"title": "naïve ☂", "due": "2026-12-01T15:30:00Z"},
        {"title": "More", "status": "completed", "position": "9"},
        {"status": "odd"},
        {"due": "soon"},
    ],
    "sheets.spreadsheets.create": [{"properties": {"title": "New"}}, {}],
    "sheets.spreadsheets.batchUpdate": [
        {"requests": [{"addSheet": {"properties": {"title": "More"}}}]},
        {"requests": [{"deleteSheet": {"sheetId": 7}}], "includeSpreadsheetInResponse": True},
        {
            "requests": [
                {
                    "updateSheetProperties": {
                        "properties": {"sheetId": 0, "title": "First"},
                        "fields": "title",
                    }
                }
            ]
        },
    ],
    "sheets.spreadsheets.values.update": [{"values": [["x", 1], ["y", True]]}],
    "sheets.spreadsheets.values.append": [{"values": [["x", 1]], "majorDimension": "COLUMNS"}],
    "sheets.spreadsheets.values.batchUpdate": [
        {"valueInputOption": "RAW", "data": [{"range": "A1", "values": [["x"]]}]},
    ],
    "sheets.spreadsheets.values.batchClear": [{"ranges": ["A1:B1"]}, {"ranges": ["No!A1"]}],
    "gmail.users.messages.modify": [{"addLabelIds": ["STARRED"]}, {"removeLabelIds": ["SENT"]}],
    "apphub.projects.locations.applications.create": [
        {"displayName": "Night shop", "scope": {"type": "REGIONAL"}},
    ],
    "directory.users.undelete": [{"orgUnitPath": "/"}],
    "directory.users.insert": [
        {
            "primaryEmail": NEW,
            "name": {"givenName": "Nova", "familyName": "Person"},
            "password": "a-long-pass-word",
            "orgUnitPath": "/Finance",
        },
    ],
    "chromepolicy.customers.policies.resolve": [
        {"policyTargetKey": _KEY, "policySchemaFilter": "chrome.users.*", "pageSize": 3},
        {"policyTargetKey": _KEY, "policySchemaFilter": "chrome.users.IncognitoMode"},
    ],
    "chromepolicy.customers.policies.groups.listGroupPriorityOrdering": [_ORDERED],
    "chromepolicy.customers.policies.groups.updateGroupPriorityOrdering": [
        {**_ORDERED, "groupIds": []},
        {**_ORDERED, "groupIds": ["01qdwywh9v2glu3", "01qdwywh9v2glu3"]},
    ],
    "chromepolicy.customers.policies.orgunits.batchModify": [
        {"requests": [{"policyTargetKey": _KEY, **_SET}]},
    ],
    "chromepolicy.customers.policies.orgunits.batchInherit": [
        {"requests": [{"policyTargetKey": _KEY, **_LEAVE}]},
    ],
    "chromepolicy.customers.policies.groups.batchModify": [
        {"requests": [{"policyTargetKey": _IN_GROUP, **_SET}]},
    ],
    "chromepolicy.customers.policies.groups.batchDelete": [
        {"requests": [{"policyTargetKey": _IN_GROUP, **_LEAVE}]},
    ],
    "chromemanagement.customers.chromeBrowsers.move": [
        {"resourceIds": [BROWSER], "destinationOrgUnitId": "03ph8a2zx3qh4wr"},
    ],
    "directory.chromebrowsers.moveChromeBrowsersToOu": [
        {"orgUnitPath": "/Finance", "resourceIds": [BROWSER]},
        {"org_unit_path": "/Finance", "resource_ids": [BROWSER]},
    ],
    "cloudresourcemanager.folders.create": [
        {"parent": "folders/730000000001", "displayName": "Night shift"},
    ],
    "cloudresourcemanager.projects.create": [
        {"projectId": "shop-night", "displayName": "Night shift", "parent": "folders/730000000001"},
        {"projectId": "shop-night-2", "name": "Night shift"},
    ],
    "logging.entries.write": [
        {
            "logName": "projects/shop-prod/logs/new",
            "resource": {"type": "global"},
            "entries": [{"textPayload": "naïve ☂", "severity": "ERROR"}, {"jsonPayload": {"a": 1}}],
        },
    ],
    "logging.entries.list": [
        {"resourceNames": ["projects/shop-prod"], "filter": "severity>=ERROR", "pageSize": 5},
        {"resourceNames": [_ENTRIES], "orderBy": "timestamp desc", "filter": 'SEARCH("oom")'},
        {"resourceNames": ["projects/shop-prod", "folders/730000000001"], "pageSize": 1000},
        {"resourceNames": ["projects/shop-prod"], "filter": "severity >>"},
    ],
    "logging.entries.tail": [{"resourceNames": ["projects/shop-prod"]}],
    "clouderrorreporting.projects.events.report": [
        {
            "message": "ValueError: no\n  at main (app.js:1:2)",
            "serviceContext": {"service": "checkout", "version": "v1"},
            "context": {"reportLocation": {"filePath": "app.js", "lineNumber": 1}},
        },
    ],
    "cloudtrace.projects.traces.spans.createSpan": [
        {
            "spanId": "00f067aa0ba902b7",
            "displayName": {"value": "checkout"},
            "startTime": START,
            "endTime": END,
        },
    ],
    "monitoring.projects.alertPolicies.create": [
        {
            "displayName": "Errors",
            "combiner": "OR",
            "conditions": [
                {
                    "displayName": "many",
                    "conditionThreshold": {
                        "filter": f'{METRIC} AND resource.type="cloud_run_revision"',
                        "comparison": "COMPARISON_GT",
                        "thresholdValue": 2,
                        "duration": "60s",
                    },
                }
            ],
        },
    ],
    "monitoring.projects.groups.create": [
        {"displayName": "Web", "filter": 'resource.metadata.name = starts_with("web")'},
    ],
    "monitoring.projects.metricDescriptors.create": [
        {"type": "custom.googleapis.com/orders", "metricKind": "GAUGE", "valueType": "INT64"},
    ],
    "chromemanagement.customers.enrollmentTokens.create": [
        {"orgUnitId": "03ph8a2zempty00"},
    ],
    "cloudresourcemanager.*.setIamPolicy": [
        {"policy": {"bindings": [{"role": "roles/viewer", "members": ["user:ada@example.com"]}]}},
    ],
    "monitoring.projects.timeSeries.create": [{"timeSeries": [_OWN_SERIES]}],
    "monitoring.projects.timeSeries.createService": [{"timeSeries": [_OWN_SERIES]}],
    "oauth2.device.code": [{"client_id": "mock", "scope": "email"}],
    "oauth2.token": [_REFRESH],
    "oauth2.v4.token": [_REFRESH],
    "oauth2.accounts.token": [_REFRESH],
    "oauth2.*": [{"access_token": "{token}", "token": "{token}"}],
    "iamcredentials.projects.serviceAccounts.generateAccessToken": [
        {"scope": ["https://www.googleapis.com/auth/cloud-platform"], "lifetime": "300s"},
    ],
    "iamcredentials.projects.serviceAccounts.signJwt": [{"payload": '{"sub": "me"}'}],
    "sts.token": [
        {
            "grantType": "urn:ietf:params:oauth:grant-type:token-exchange",
            "audience": f"//iam.googleapis.com/{POOL}/providers/q",
            "scope": "https://www.googleapis.com/auth/cloud-platform",
            "requestedTokenType": "urn:ietf:params:oauth:token-type:access_token",
            "subjectToken": "{token}",
            "subjectTokenType": "urn:ietf:params:oauth:token-type:access_token",
        },
    ],
}
"""Bodies of one method that are right."""
