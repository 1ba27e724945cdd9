"""Receives webhooks and checks that they are the portal's: the secret is what Settings → Notices shows once.

    WEBHOOK_SECRET=whsec_… python3 examples/webhooks/receive.py

It needs nothing but Python. The library `standardwebhooks` does the same as `verified`. Locally, give the portal the
address http://localhost:4000/ for it.
"""

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Mapping, Optional

PORT = int(os.environ.get("PORT", "4000"))
SECRET = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
# Who has overheard a delivery cannot send it again later.
MAX_AGE_SECONDS = 300
# A delivery may come twice: its id is the same. Keep the ids where your other data are.
seen: "set[str]" = set()


def verified(body: bytes, headers: Mapping[str, str]) -> Optional[dict]:
    """What a delivery says, or None if it is not the portal's (Standard Webhooks 1.0.0)."""
    notice_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > MAX_AGE_SECONDS:
        return None
    # Of the bytes as they came: parsed and written again they would be others.
    signed = f"{notice_id}.{sent_at}.".encode() + body
    signature = b"v1," + base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest())
    # While a secret is rotated there are two signatures: one that is right is enough.
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return json.loads(body) if any(hmac.compare_digest(signature, one) for one in given) else None


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        notice_id = self.headers.get("webhook-id")
        notice = verified(body, self.headers)
        if notice is None:
            print(notice_id, "is not signed with this secret", flush=True)
        else:
            print(notice_id, "again" if notice_id in seen else json.dumps(notice), flush=True)
            seen.add(str(notice_id))
        self.send_response(401 if notice is None else 204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Prints what came, and no line of the server's own."""


server = HTTPServer(("127.0.0.1", PORT), Receiver)
print(f"Waiting at http://localhost:{server.server_port}/", flush=True)
server.serve_forever()
