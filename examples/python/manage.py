"""Makes a key for CI, prints units by key, ends the key: `MANAGEMENT_TOKEN=svc_mgmt_… python3 manage.py`."""

from __future__ import annotations

import json
import os
import uuid
from urllib.error import HTTPError
from urllib.request import Request, urlopen

PORTAL_URL = os.environ.get("PORTAL_URL", "http://localhost:5173")


def manage(method: str, path: str, body: dict | None = None) -> dict:
    headers = {"Authorization": f"Bearer {os.environ['MANAGEMENT_TOKEN']}", "Content-Type": "application/json"}
    if method == "POST":
        headers["Idempotency-Key"] = str(uuid.uuid4())
    data = None if body is None else json.dumps(body).encode()
    try:
        with urlopen(Request(f"{PORTAL_URL}/manage/v1{path}", data, headers, method=method)) as answer:
            return json.load(answer)
    except HTTPError as error:
        problem = json.load(error)
        raise SystemExit(f"{problem['code']}: {problem['detail']}") from None


project = f"/projects/{manage('GET', '/projects')['projects'][0]['projectId']}"
made = manage("POST", f"{project}/keys", {"name": "CI", "expiresInDays": 1})
print(f"{made['keyId']} is made: give made['key'] to the job, and print it nowhere.")
for key in manage("GET", f"{project}/usage?by=key")["keys"]:
    print(f"{key['name'] or 'a key without a name'}: {key['units']} units")
ended = manage("POST", f"{project}/keys/{made['keyId']}/revoke", {})
print(f"{made['keyId']} is {ended['status']}.")
