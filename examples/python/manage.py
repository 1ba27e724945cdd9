"""Makes a key for CI, prints units by key, ends the key, with the client installed.

The token and the address come from the environment: `SANDBOX_MANAGEMENT_TOKEN=svc_mgmt_… python3 manage.py`.
"""

import os

from sandbox_gateway import SandboxGatewayError
from sandbox_gateway.management import SandboxManagement


def main() -> None:
    base_url = os.environ.get("SANDBOX_MANAGEMENT_BASE_URL", "http://localhost:5173/manage/v1")
    with SandboxManagement(base_url=base_url) as management:
        project_id = next(management.projects.list()).project_id
        # Where an answer is lost, it is asked for again under the same Idempotency-Key: one key, with a secret that works.
        made = management.keys.create(project_id, name="CI", expires_in_days=1)
        print(f"{made.key_id} is made: give made.key to the job, and print it nowhere.")
        usage = management.usage.get(project_id, by="key")
        for key in usage.keys or []:
            print(f"{key.name or 'a key without a name'}: {key.units} units")
        if usage.others and usage.others.keys:
            print(f"{usage.others.keys} more keys: {usage.others.units} units")
        ended = management.keys.revoke(project_id, made.key_id)
        print(f"{ended.key_id} is {ended.status}.")


try:
    main()
except (SandboxGatewayError, ValueError) as error:  # A ValueError says what is wrong with the settings.
    raise SystemExit(str(error)) from None
