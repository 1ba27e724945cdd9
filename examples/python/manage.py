"""Makes a key for CI, prints units by key, ends the key: `SANDBOX_MANAGEMENT_TOKEN=svc_mgmt_… python3 manage.py`."""

from __future__ import annotations

import os
import re
import uuid

import httpx

BASE_URL = os.environ.get("SANDBOX_MANAGEMENT_BASE_URL", "http://localhost:5173/manage/v1")
if not re.match(r"https://|http://(localhost|127\.0\.0\.1)(:\d+)?(/|$)", BASE_URL):
    raise SystemExit("SANDBOX_MANAGEMENT_BASE_URL must begin with https://, so that nobody on the way reads the token.")


def manage(method: str, path: str, body: dict | None = None) -> dict:
    headers = {"Authorization": f"Bearer {os.environ['SANDBOX_MANAGEMENT_TOKEN']}", "Content-Type": "application/json"}
    if method == "POST":
        headers["Idempotency-Key"] = str(uuid.uuid4())
    # A redirect would take the token to another address; httpx follows none.
    answer = httpx.request(method, f"{BASE_URL}{path}", headers=headers, json=body)
    if answer.is_redirect:
        raise SystemExit("SANDBOX_MANAGEMENT_BASE_URL is not the address of the API: it answers with a redirect.")
    if answer.is_error:
        raise SystemExit(f"{answer.json()['code']}: {answer.json()['detail']}")
    return answer.json()


project = f"/projects/{manage('GET', '/projects')['projects'][0]['projectId']}"
made = manage("POST", f"{project}/keys", {"name": "CI", "expiresInDays": 1})
print(f"{made['keyId']} is made: give made['key'] to the job, and print it nowhere.")
usage = manage("GET", f"{project}/usage?by=key")
for key in usage["keys"]:
    print(f"{key['name'] or 'a key without a name'}: {key['units']} units")
if usage["others"]["keys"]:
    print(f"{usage['others']['keys']} more keys: {usage['others']['units']} units")
ended = manage("POST", f"{project}/keys/{made['keyId']}/revoke", {})
print(f"{made['keyId']} is {ended['status']}.")
