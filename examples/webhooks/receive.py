"""Receives webhooks and checks that they are the portal's: the secret is what Settings → Webhooks shows once.

    WEBHOOK_SECRET=whsec_… python3 examples/webhooks/receive.py        # pip install standardwebhooks

Locally, give the portal the address http://localhost:4000/ for it.
"""

import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

PORT = int(os.environ.get("PORT", "4000"))
webhook = Webhook(os.environ["WEBHOOK_SECRET"])
# A delivery may come twice: its id is the same. Keep the ids where your other data are.
seen: "set[str]" = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        # The bytes as they came: parsed and written again they would be others.
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        notice_id = str(self.headers.get("webhook-id"))
        try:
            # Refuses those that are over five minutes old.
            notice = webhook.verify(body, {name.lower(): value for name, value in self.headers.items()})
        except WebhookVerificationError:
            print(notice_id, "is not signed with this secret")
            self.send_response(401)
        else:
            print(notice_id, "again" if notice_id in seen else notice)
            seen.add(notice_id)
            self.send_response(204)
        self.end_headers()


print(f"Waiting at http://localhost:{PORT}/")
HTTPServer(("127.0.0.1", PORT), Receiver).serve_forever()
