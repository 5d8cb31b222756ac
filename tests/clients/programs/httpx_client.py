"""httpx with a token of google-auth: a query in PromQL and a wildcard over locations."""

import json
import sys

import google.auth
import httpx
from google.auth.transport.requests import Request

PROMETHEUS = "https://monitoring.googleapis.com/v1/projects/{}/location/global/prometheus/api/v1"


def main() -> None:
    credentials, project = google.auth.default()
    credentials.refresh(Request())  # type: ignore[no-untyped-call]
    headers = {"Authorization": f"Bearer {credentials.token}"}
    with httpx.Client(headers=headers, timeout=120) as client:
        url = f"https://logging.googleapis.com/v2/projects/{project}/locations/-/buckets"
        buckets = client.get(url).raise_for_status().json()["buckets"]
        query = {"query": "sum(run_googleapis_com:request_count)"}
        url = PROMETHEUS.format(project) + "/query"
        found = client.get(url, params=query).raise_for_status().json()
    json.dump({"buckets": len(buckets), "promql": found["status"]}, sys.stdout)


if __name__ == "__main__":
    main()
