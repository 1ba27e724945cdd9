"""Sends a ping and shows what is left of the limits, with the client installed: `python3 ping.py`.

The key and the address come from the environment, SANDBOX_GATEWAY_API_KEY and SANDBOX_GATEWAY_BASE_URL.
"""

import math
import os
import sys

from sandbox_gateway import Limit, SandboxGateway, SandboxGatewayError


def show(name: str, unit: str, limit: Limit) -> None:
    print(f"{name}: {limit.remaining} of {limit.limit} {unit} left until {limit.resets_at.isoformat()}")


def on_retry(error: SandboxGatewayError, wait_seconds: float) -> None:
    print(f"{error.code}: trying again in {math.ceil(wait_seconds)} s", file=sys.stderr)


def main() -> None:
    base_url = os.environ.get("SANDBOX_GATEWAY_BASE_URL", "http://127.0.0.1:3000")
    with SandboxGateway(base_url=base_url, on_retry=on_retry) as gateway:
        answer = gateway.ping()
    print(answer.data.message)
    if answer.rate_limit:
        show("Rate", "requests", answer.rate_limit)
    if answer.quota:
        show("Quota", "request units", answer.quota)


try:
    main()
except (SandboxGatewayError, ValueError) as error:  # A ValueError says what is wrong with the settings.
    raise SystemExit(str(error)) from None
