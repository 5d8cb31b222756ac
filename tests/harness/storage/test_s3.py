"""A real server that speaks as S3 does, and S3's own client, each in a process for all tests."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.clients.packages import packages_of_stores
from tests.documents import FOLDER
from tests.patience import PATIENCE_S, wait_until
from tests.ports import free_port
from tests.transcripts import differences, page_steps, run
from tests.warm import run as run_warm

SECRET = "never-to-be-printed"
RUN = ("run", "evals", "--agent", "echo")
CASES = """
cases:
  - {id: A, input: say a, expect: {text: {contains: [say]}}}
  - {id: B, input: say b, expect: {text: {contains: [say]}}}
"""


CLIENT = """
import boto3, contextlib, io, json, sys
s3 = boto3.client("s3")
for line in sys.stdin:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(json.loads(line))
    print(json.dumps(said.getvalue()), flush=True)
"""
"""Runs each program that it is sent, and prints what that printed: importing takes a second."""


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Store:
    """The server and the client, which begin when they are first needed.

    Args:
        folder: Where the server's log is.
        packages: The folder of the packages of both.
    """

    def __init__(self, folder: Path, packages: Path) -> None:
        self._log = folder / "moto.log"
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        root = str(Path(__file__).parents[3])
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PYTHONPATH": os.pathsep.join([str(packages), root]),
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": self.url,
        }
        self._client = subprocess.Popen(
            [sys.executable, "-c", CLIENT], env=self.environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self._serve()

    def _serve(self) -> None:
        with self._log.open("ab") as log:
            self.server = subprocess.Popen(
                [sys.executable, "-m", "moto.server", "-p", str(self._port)],
                env=self.environment, stdout=log, stderr=log,
            )  # fmt: skip
        wait_until(lambda: answers(self._port), "an S3 server that answers")

    def empty(self) -> None:
        """Forget everything; a server that a test has killed begins again."""
        if self.server.poll() is None:
            httpx.post(f"{self.url}/moto-api/reset").raise_for_status()
        else:
            self._serve()

    def ask(self, code: str) -> str:
        """What a program of S3's own client prints."""
        assert self._client.stdin is not None
        assert self._client.stdout is not None
        self._client.stdin.write(f"{json.dumps(code)}\n")
        self._client.stdin.flush()
        return str(json.loads(self._client.stdout.readline()))

    def close(self) -> None:
        for process in (self.server, self._client):
            process.kill()
            process.communicate(timeout=PATIENCE_S)


@dataclass
class Bucket:
    """A bucket, and a machine that uses it.

    Attributes:
        folder: The machine's.
        environment: What its programs get.
        store: Where the bucket is.
    """

    folder: Path
    environment: dict[str, str]
    store: Store
    url: str = "s3://evals/runs"

    def start(self, *arguments: str, machine: str = "one") -> "subprocess.Popen[str]":
        cache = {"XDG_CACHE_HOME": str(self.folder / machine)}
        return subprocess.Popen(
            [sys.executable, "-m", "harness", *arguments],
            env=self.environment | cache, cwd=self.folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def start_until_a_first_trial(self) -> "subprocess.Popen[str]":
        """A run of four trials: one is stored, and the next waits until `go_on`."""
        first, later = self.folder / "first", self.folder / "later"
        (self.folder / "slow.sh").write_text(
            f"[ ! -e '{first}' ] || while [ ! -e '{later}' ]; do sleep 0.1; done;"
            f" touch '{first}'; cat"
        )
        agent = ("run", "evals", "--agent", "command:sh slow.sh", "-n", "2", "--concurrency", "1")
        running = self.start(*agent, "--run-dir", self.url)
        wait_until(lambda: any("/trials/" in key for key in self.names()), "a first trial")
        return running

    def go_on(self) -> None:
        (self.folder / "later").touch()

    def call(self, *arguments: str, machine: str = "one", code: int = 0) -> str:
        environment = {**self.environment, "XDG_CACHE_HOME": str(self.folder / machine)}
        done = run_warm(
            "harness", *arguments, cwd=self.folder, env=environment, timeout=3 * PATIENCE_S
        )
        out, err = done.stdout, done.stderr
        assert done.returncode == code, (out, err)
        assert SECRET not in out + err
        assert "Traceback" not in out + err
        return out + err

    def s3(self, code: str) -> str:
        """What S3's own client prints."""
        return self.store.ask(code)

    def names(self) -> list[str]:
        listed = self.s3(
            "for page in s3.get_paginator('list_objects_v2').paginate(Bucket='evals'):\n"
            "    print(*[each['Key'] for each in page.get('Contents', [])], sep='\\n')"
        )
        return listed.split()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    packages = packages_of_stores()
    if isinstance(packages, str):
        pytest.skip(packages)
    made = Store(tmp_path_factory.mktemp("store"), packages)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def bucket(store: Store, tmp_path: Path) -> Bucket:
    store.empty()
    made = Bucket(tmp_path, store.environment | {"HOME": str(tmp_path)}, store)
    (tmp_path / "evals" / "cases").mkdir(parents=True)
    (tmp_path / "evals" / "cases" / "say.yaml").write_text(CASES)
    made.s3("s3.create_bucket(Bucket='evals')")
    return made


@pytest.mark.slow
def test_a_run_on_workers_is_stored_as_one_without_them(bucket: Bucket) -> None:
    told = bucket.call(*RUN, "-n", "2", "--on", "processes:2", "--run-dir", bucket.url)
    name = told.rpartition(f"stored in {bucket.url}/")[2].split()[0]
    held = {key.removeprefix(f"runs/{name}/") for key in bucket.names()}
    trials = {f"trials/{case}/{number}.json" for case in "AB" for number in (1, 2)}
    assert trials | {"manifest.json", "report.json"} <= held
    assert "4/4" in bucket.call("runs", "list", "--run-dir", bucket.url, machine="two")
    again = bucket.call(*RUN, "--resume", name, "--on", "processes:2", "--run-dir", bucket.url,
                        machine="two")  # fmt: skip
    assert "4/4" in again


@pytest.mark.slow
def test_a_run_in_a_bucket_is_read_by_another_machine(bucket: Bucket) -> None:
    told = bucket.call(*RUN, "-n", "2", "--run-dir", bucket.url)
    name = told.rpartition(f"stored in {bucket.url}/")[2].split()[0]
    held = {key.removeprefix(f"runs/{name}/") for key in bucket.names()}
    trials = {f"trials/{case}/{number}.json" for case in "AB" for number in (1, 2)}
    assert trials | {"manifest.json", "report.json"} <= held
    assert not [key for key in held if key.endswith(".tmp")]
    assert "4/4" in bucket.call("runs", "list", "--run-dir", bucket.url, machine="two")
    bucket.call("recheck", name, "--run-dir", bucket.url, "--stored", machine="two")
    bucket.call(*RUN, "--run-dir", bucket.url, machine="three")
    bucket.call("compare", name, "latest", "--run-dir", bucket.url, machine="four")
    bucket.call("baseline", name, "--run-dir", bucket.url, machine="four")
    pruned = bucket.call("runs", "prune", "--max-size", "1", "--run-dir", bucket.url)
    assert f"keeps {name}" in pruned
    assert {key.split("/")[1] for key in bucket.names() if "/trials/" in key} == {name}


@pytest.mark.slow
def test_a_store_that_stops_answering_loses_nothing(bucket: Bucket) -> None:
    running = bucket.start_until_a_first_trial()
    bucket.store.server.kill()
    bucket.store.server.wait(timeout=PATIENCE_S)
    bucket.go_on()
    out, err = running.communicate(timeout=6 * PATIENCE_S)
    assert running.returncode == 3, (out, err)
    assert "trials 4/4" in out
    hint = err.rpartition("understudy runs upload ")[2].strip(" )\n")
    assert hint.startswith(f"{bucket.url}/")
    assert SECRET not in out + err
    kept = list((bucket.folder / "one").rglob("trials/*/*.json"))
    assert len(kept) == 4


@pytest.mark.slow
def test_what_a_bucket_did_not_take_is_uploaded_later(bucket: Bucket) -> None:
    told = bucket.call(*RUN, "--run-dir", bucket.url)
    name = told.rpartition(f"stored in {bucket.url}/")[2].split()[0]
    bucket.s3(f"s3.delete_object(Bucket='evals', Key='runs/{name}/trials/A/1.json')")
    assert "1 files sent" in bucket.call("runs", "upload", f"{bucket.url}/{name}")
    assert f"runs/{name}/trials/A/1.json" in bucket.names()


@pytest.mark.slow
def test_another_record_of_the_same_size_is_noticed(bucket: Bucket) -> None:
    told = bucket.call(*RUN, "--run-dir", bucket.url)
    name = told.rpartition(f"stored in {bucket.url}/")[2].split()[0]
    assert f"reports in {bucket.url}/{name}" in told
    key = f"runs/{name}/trials/A/1.json"
    (record,) = (bucket.folder / "one").rglob("trials/A/1.json")
    old = record.read_bytes()
    bucket.call("recheck", name, "--run-dir", bucket.url, "--stored")
    assert not list(record.parent.glob("1.local-*"))  # its digest is that of the store
    bucket.s3(
        f"old = s3.get_object(Bucket='evals', Key='{key}')['Body'].read()\n"
        f"s3.put_object(Bucket='evals', Key='{key}', Body=old.replace(b'say a', b'say b'))"
    )
    bucket.call("recheck", name, "--run-dir", bucket.url, "--stored")
    new = record.read_bytes()
    assert len(new) == len(old)
    assert new == old.replace(b"say a", b"say b") != old
    assert (record.parent / "1.local-1.json").read_bytes() == old


@pytest.mark.slow
def test_a_killed_removal_is_ended_by_the_next(bucket: Bucket) -> None:
    bucket.call(*RUN, "--run-dir", bucket.url)
    program = (
        "import os, sys\n"
        "from harness.storage import ObjectStore\n"
        "delete = ObjectStore.delete\n"
        "def dying(store, keys):\n"
        "    if len(keys) > 1: os.kill(os.getpid(), 9)\n"
        "    delete(store, keys)\n"
        "ObjectStore.delete = dying\n"
        "from harness.cli.main import main\n"
        "main()"
    )
    prune = ("runs", "prune", "--max-size", "1", "--run-dir", bucket.url)
    environment = bucket.environment | {"XDG_CACHE_HOME": str(bucket.folder / "one")}
    killed = subprocess.run([sys.executable, "-c", program, *prune], env=environment, check=False)
    assert killed.returncode == -signal.SIGKILL
    left = bucket.names()
    assert [key for key in left if "/trials/" in key]
    assert not [key for key in left if key.endswith("/manifest.json") or "/.runs/" in key]
    assert "no runs" in bucket.call("runs", "list", "--run-dir", bucket.url, machine="two")
    bucket.call(*prune, "--dry-run", machine="two")
    bucket.call(*prune, machine="two")
    assert bucket.names() == left  # the lease of the dead is not over
    lease = max(key for key in left if "/.leases/2" in key)
    over = '{"holder": "x", "until": "2020-01-01T00:00:00+00:00"}'
    bucket.s3(f"s3.put_object(Bucket='evals', Key='{lease}', Body=b'{over}')")
    bucket.call(*prune, machine="two")
    assert bucket.names() == []
    assert "no runs" in bucket.call("runs", "list", "--run-dir", bucket.url, machine="one")


@pytest.mark.slow
def test_a_killed_run_is_resumed_on_another_machine(bucket: Bucket) -> None:
    running = bucket.start_until_a_first_trial()
    running.kill()
    bucket.go_on()
    running.communicate(timeout=PATIENCE_S)
    (name,) = {key.split("/")[1] for key in bucket.names() if "/trials/" in key}
    resume = ("run", "--resume", name, "--run-dir", bucket.url)
    refused = bucket.call(*resume, machine="two", code=2)  # the lease of the dead is not over
    assert "is being written by" in refused
    lease = max(key for key in bucket.names() if f".leases/{name}/" in key)
    bucket.s3(f"s3.delete_object(Bucket='evals', Key='{lease}')")
    assert "trials 4/4" in bucket.call(*resume, machine="two")


@pytest.mark.slow
def test_what_is_wrong_with_a_bucket_is_told_before_an_agent_is_asked(bucket: Bucket) -> None:
    told = bucket.call(*RUN, "--run-dir", "s3://gone/runs", code=3)
    assert "there is no bucket 'gone'" in told
    assert "trials" not in told
    del bucket.environment["AWS_SECRET_ACCESS_KEY"], bucket.environment["AWS_ACCESS_KEY_ID"]
    bucket.environment["AWS_EC2_METADATA_DISABLED"] = "true"
    denied = bucket.call(*RUN, "--run-dir", bucket.url, code=3)
    assert "not allowed" in denied


@pytest.mark.slow
def test_the_page_goes_as_shown(bucket: Bucket) -> None:
    shutil.rmtree(bucket.folder / "evals")
    page = (FOLDER / "how-to" / "keep-runs-in-a-bucket.md").read_text(encoding="utf-8")
    script = page_steps(page)
    environment = {name: value for name, value in bucket.environment.items() if name != "PATH"}
    outputs = run(script, folder=bucket.folder, environment=environment)
    assert not differences(script, outputs), differences(script, outputs)
