"""Makes the calls in CALLS with the Python library, without waiting, and prints what each came to."""

import json
import os
import time

from sandbox_gateway import SandboxGateway, SandboxGatewayError

time.sleep = lambda seconds: None

for call in json.loads(os.environ["CALLS"]):
    waits_ms = []
    gateway = SandboxGateway(
        api_key=os.environ["API_KEY"],
        base_url=os.environ["BASE_URL"],
        on_retry=lambda error, wait_seconds: waits_ms.append(1_000 * wait_seconds),
    )
    try:
        answer = gateway.ping(call.get("clientRequestId"), call.get("simulate"), rehearse=call.get("rehearse"))
        told = {"requestId": answer.request_id, "replayed": answer.replayed}
    except SandboxGatewayError as error:
        told = {"status": error.status, "code": error.code, "retryable": error.retryable, "requestId": error.request_id}
    print(json.dumps({**told, "waitsMs": waits_ms}))
