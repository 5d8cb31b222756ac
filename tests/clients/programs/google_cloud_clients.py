"""google-cloud-storage, -pubsub, -secret-manager, -firestore and -bigquery, one call after another.

Prints, for each call, what came of it: `["ok", value]`, or `[status, message]`.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping
from queue import Queue
from typing import Any

from google.api_core.exceptions import GoogleAPICallError
from google.cloud import (  # type: ignore[attr-defined]  # installed for this test alone
    bigquery,
    bigquery_storage,
    firestore,
    pubsub_v1,
    secretmanager,
    storage,
)
from google.cloud.firestore_v1.base_query import FieldFilter
from google.cloud.firestore_v1.pipeline_expressions import Field
from google.cloud.firestore_v1.query_profile import ExplainOptions
from google.cloud.firestore_v1.services.firestore import FirestoreClient

PROJECT = "p"
PARENT = f"projects/{PROJECT}"
ROOT = f"{PARENT}/databases/(default)/documents"
ONCE: dict[str, Any] = {"timeout": 20, "retry": None}
Calls = Mapping[str, Callable[[], Any]]


def of_storage() -> Calls:
    client = storage.Client(PROJECT)
    bucket = client.bucket("b1")
    return {
        "list": lambda: [each.name for each in client.list_buckets(**ONCE)],
        "upload": lambda: bucket.blob("dir/new.txt").upload_from_string("hello", **ONCE),
        "read": lambda: bucket.get_blob("dir/new.txt", **ONCE).size,
        "compose": lambda: bucket.blob("x").compose([bucket.blob("dir/new.txt")], **ONCE),
        "download": lambda: bucket.blob("x").download_as_bytes(**ONCE).decode(),
        "copy": lambda: bucket.copy_blob(bucket.blob("x"), bucket, "y", **ONCE).name,
        "delete": lambda: bucket.delete_blob("x", **ONCE),
    }


def of_pubsub() -> Calls:
    publisher, subscriber = pubsub_v1.PublisherClient(), pubsub_v1.SubscriberClient()
    topic, pulled = f"{PARENT}/topics/t1", f"{PARENT}/subscriptions/s1"

    def pull() -> Any:
        asked = {"subscription": pulled, "max_messages": 5}
        several = subscriber.pull(asked, **ONCE).received_messages
        ids = [each.ack_id for each in several]
        subscriber.acknowledge({"subscription": pulled, "ack_ids": ids}, **ONCE)
        return [each.message.data.decode() for each in several]

    def listen() -> Any:
        found: Queue[str] = Queue()

        def take(message: Any) -> None:
            found.put(message.data.decode())
            message.ack()

        listening = subscriber.subscribe(pulled, callback=take)
        publisher.publish(topic, b"again", **ONCE)
        try:
            return found.get(timeout=20)
        finally:
            listening.cancel()

    return {
        "list": lambda: [each.name for each in publisher.list_topics({"project": PARENT}, **ONCE)],
        "make": lambda: publisher.create_topic({"name": f"{PARENT}/topics/mine"}, **ONCE).name,
        "subscribe": lambda: (
            subscriber.create_subscription(
                {"name": f"{PARENT}/subscriptions/mine", "topic": topic}, **ONCE
            ).name
        ),
        "publish": lambda: publisher.publish(topic, b"hi", **ONCE).result(20),
        "pull": pull,
        "listen": listen,
    }


def of_secret_manager(transport: str) -> Calls:
    client = secretmanager.SecretManagerServiceClient(transport=transport)
    made = {"parent": PARENT, "secret_id": "mine", "secret": {"replication": {"automatic": {}}}}
    version = f"{PARENT}/secrets/s1/versions/1"
    return {
        "list": lambda: [each.name for each in client.list_secrets({"parent": PARENT}, **ONCE)],
        "make": lambda: client.create_secret(made, **ONCE).name,
        "access": lambda: client.access_secret_version(
            {"name": version}, **ONCE
        ).payload.data.decode(),
        "add": lambda: (
            client.add_secret_version(
                {"parent": f"{PARENT}/secrets/s1", "payload": {"data": b"open"}}, **ONCE
            ).name
        ),
        "disable": lambda: client.disable_secret_version({"name": version}, **ONCE).state.name,
    }


def of_firestore() -> Calls:
    client = firestore.Client(PROJECT)
    users, plain = client.collection("users"), FirestoreClient()
    bob: Any = users.document("bob")
    older: Any = users.where(filter=FieldFilter("age", ">", 1))

    def set_and_get() -> Any:
        bob.set({"age": 3}, **ONCE)
        return bob.get(**ONCE).to_dict()["age"]

    def grow(transaction: Any) -> Any:
        age = bob.get(transaction=transaction).to_dict()["age"] + 1
        transaction.update(bob, {"age": age})
        return age

    def watch() -> Any:
        seen: Queue[Any] = Queue()
        watching = older.on_snapshot(lambda found, *_: seen.put([each.id for each in found]))
        try:
            return seen.get(timeout=20)
        finally:
            watching.unsubscribe()

    def pipeline() -> Any:
        of_stages = firestore.Client(PROJECT, database="enterprise")
        of_stages.document("users/ann").set({"age": 30, "tags": ["a", "b"]}, **ONCE)
        age = Field.of("age")
        asked = of_stages.pipeline().collection("users").where(age.greater_than(20))
        found = asked.select(age.add(1).as_("next"), "tags").execute()
        return [each.data() for each in found]

    def explain() -> Any:
        found = older.get(explain_options=ExplainOptions(analyze=True), **ONCE)
        return found.get_explain_metrics().execution_stats.results_returned

    def batch() -> Any:
        several = client.batch()
        for name in ("cy", "di"):
            several.set(users.document(name), {"age": 9})
        return len(several.commit(**ONCE))

    made = {"parent": ROOT, "collection_id": "users", "document_id": "mine", "document": {}}
    return {
        "list": lambda: [each.id for each in users.list_documents(**ONCE)],
        "make": lambda: plain.create_document(made, **ONCE).name,
        "get": lambda: users.document("ann").get(**ONCE).to_dict(),
        "query": lambda: [each.id for each in users.stream(**ONCE)],
        "set": set_and_get,
        "transaction": lambda: firestore.transactional(grow)(client.transaction()),
        "older": lambda: [each.id for each in older.stream(**ONCE)],
        "count": lambda: int(older.count().get(**ONCE)[0][0].value),
        "watch": watch,
        "explain": explain,
        "pipeline": pipeline,
        "batch": batch,
        "delete": lambda: [bob.delete(**ONCE) and None, bob.get(**ONCE).exists][1],
    }


def rows_of(client: bigquery.Client, query: str) -> list[Any]:
    job = client.query(query, job_retry=None, **ONCE)
    return [dict(row) for row in job.result(job_retry=None, **ONCE)]


def of_bigquery() -> Calls:
    client = bigquery.Client(PROJECT)
    fields = [bigquery.SchemaField("who", "STRING"), bigquery.SchemaField("age", "INT64")]
    table = bigquery.Table(f"{PROJECT}.mine.people", schema=fields)

    def read() -> Any:
        storage: Any = bigquery_storage
        reader = storage.BigQueryReadClient()
        asked = storage.types.ReadSession(
            table=f"projects/{PROJECT}/datasets/mine/tables/people",
            data_format=storage.types.DataFormat.AVRO,
            read_options={"row_restriction": "age > 40", "selected_fields": ["who"]},
        )
        session = reader.create_read_session(
            parent=f"projects/{PROJECT}", read_session=asked, **ONCE
        )
        parts = reader.read_rows(session.streams[0].name)
        return b"".join(each.avro_rows.serialized_binary_rows for each in parts).decode()

    return {
        "list": lambda: [each.dataset_id for each in client.list_datasets(**ONCE)],
        "make": lambda: client.create_dataset("mine", **ONCE).dataset_id,
        "jobs": lambda: [[each.job_id, each.state] for each in client.list_jobs(**ONCE)],
        "job": lambda: client.query("select 1", job_id="mine", job_retry=None, **ONCE).state,
        "query": lambda: rows_of(client, "select 1 as one, [2, 3] as several"),
        "table": lambda: client.create_table(table, **ONCE).table_id,
        "insert": lambda: client.insert_rows(table, [{"who": "ann", "age": 30}], **ONCE),
        "load": lambda: (
            client.load_table_from_json([{"who": "bob", "age": 40}], table).result(retry=None).state
        ),
        "change": lambda: rows_of(client, "update mine.people set age = age + 1 where age > 35"),
        "rows": lambda: [list(row) for row in client.list_rows(table, **ONCE)],
        "sum": lambda: rows_of(client, "select sum(age) as years from mine.people"),
        "read": read,
        "routine": lambda: rows_of(
            client,
            "create function mine.twice(x int64) as (x * 2); select mine.twice(4) as eight",
        ),
    }


CLIENTS: Mapping[str, Callable[[], Calls]] = {
    "storage": of_storage,
    "pubsub": of_pubsub,
    "secretmanager": lambda: of_secret_manager("grpc"),
    "secretmanager over REST": lambda: of_secret_manager("rest"),
    "firestore": of_firestore,
    "bigquery": of_bigquery,
}


def outcome(call: Callable[[], Any]) -> list[Any]:
    try:
        return ["ok", call()]
    except GoogleAPICallError as error:
        code = getattr(error.code, "value", error.code)
        return [int(code or 0), f"{error.message} {error.details}"]


def main() -> None:
    found = {
        client: {name: outcome(call) for name, call in calls().items()}
        for client, calls in CLIENTS.items()
    }
    json.dump(found, sys.stdout)
    sys.stdout.flush()
    os._exit(0)  # threads of streams may still wait for their servers


if __name__ == "__main__":
    main()
