"""Drives the Python library: calls come and go as lines of JSON, as test/e2e/clients/networks.ts says."""

import asyncio
import json
import pickle
import pprint
import sys
import time
import traceback

import anyio

from sandbox_gateway import AsyncSandboxGateway, SandboxGateway, SandboxGatewayError


async def at_once(seconds):
    """No call waits between its attempts."""


time.sleep = lambda seconds: None
anyio.sleep = at_once
waits_ms = []
clients = {}


def client_of(kind, options):
    name = json.dumps(options)
    if name not in clients:
        known = {"apiKey": "api_key", "baseURL": "base_url", "timeoutMs": "timeout", "maxRetries": "max_retries"}
        arguments = {known.get(member, member): value for member, value in options.items()}
        if "timeout" in arguments:
            arguments["timeout"] /= 1_000
        clients[name] = kind(on_retry=lambda error, seconds: waits_ms.append(1_000 * seconds), **arguments)
    return clients[name]


def snake_case(members):
    return {"".join(f"_{c.lower()}" if c.isupper() else c for c in name): value for name, value in members.items()}


def limits_of(of):
    def told(limit):
        if limit is None:
            return None
        return {"limit": limit.limit, "remaining": limit.remaining, "resetsAt": limit.resets_at.timestamp()}

    return {"rateLimit": told(of.rate_limit), "quota": told(of.quota)}


def error_of(error):
    if not isinstance(error, SandboxGatewayError):
        return {"class": type(error).__name__, "message": str(error)}
    told = {name: getattr(error, name) for name in ("status", "code", "detail", "retryable")}
    members = {"class": type(error).__name__, "message": str(error), "requestId": error.request_id}
    return {**told, **members, "idempotencyKey": error.idempotency_key, **limits_of(error)}


def shown_of(came):
    # Protocol 0 has texts as they are.
    shown = [repr(came), str(came), pprint.pformat(vars(came)), pickle.dumps(came, 0).decode("latin-1")]
    shown.append(repr(vars(pickle.loads(pickle.dumps(came)))))
    if getattr(came, "headers", None):
        shown.append(repr(came.headers.multi_items()))
    if isinstance(came, Exception):
        own = (frame for frame in traceback.walk_tb(came.__traceback__) if frame[0].f_code.co_filename != __file__)
        shown.append("".join(traceback.StackSummary.extract(own, capture_locals=True).format()))
        if came.__cause__ or came.__context__:
            shown += traceback.TracebackException.from_exception(came, capture_locals=True).format()
    return "\n".join(shown)


async def make(kind, options, request, call):
    try:
        came = client_of(kind, options).ping(**snake_case(request), **snake_case(call))
        came = await came if kind is AsyncSandboxGateway else came
    except (SandboxGatewayError, TypeError, ValueError) as error:
        return {"result": None, "error": error_of(error), "shown": shown_of(error)}
    told = {"message": came.data.message, "requestId": came.request_id, "replayed": came.replayed}
    told["idempotencyKey"] = came.idempotency_key
    return {"result": {**told, **limits_of(came)}, "error": None, "shown": shown_of(came)}


async def main(kind):
    while line := await asyncio.to_thread(sys.stdin.readline):
        waits_ms.clear()
        given = json.loads(line)
        told = await make(kind, given.get("options", {}), given.get("request", {}), given.get("call", {}))
        print(json.dumps({"waitsMs": waits_ms, **told}), flush=True)
    for client in clients.values():
        await client.aclose() if kind is AsyncSandboxGateway else client.close()


asyncio.run(main({"sync": SandboxGateway, "async": AsyncSandboxGateway}[sys.argv[1]]))
