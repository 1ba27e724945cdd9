"""Receives webhooks and checks that they are the portal's: the secret is what Developers → Webhooks shows once.

    read -rs WEBHOOK_SECRET; export WEBHOOK_SECRET    # paste the secret, press Enter
    python3 examples/webhooks/receive.py              # with the library of the portal installed

Locally, give the portal the address http://localhost:4000/ for it.
"""

import json
import os
import re
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sandbox_gateway.webhooks import WebhookVerificationError, verify_webhook

PORT = int(os.environ.get("PORT", "4000"))
SECRET = os.environ.get("WEBHOOK_SECRET", "")
# A delivery has some hundred bytes. Strangers may send more.
MAX_BYTES = 100_000
# Who connects and says nothing, or says it slowly, is let go.
MAX_SECONDS = 10
MAX_CONNECTIONS = 100
# A delivery may come twice: its id is the same. Keep the ids where your other data are.
seen: "set[str]" = set()


class Receiver(BaseHTTPRequestHandler):
    timeout = 5

    def do_POST(self) -> None:
        self.send_response_only(self.receive())
        self.send_header("Connection", "close")
        self.end_headers()

    def receive(self) -> int:
        """The status of the answer."""
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,12}", length):
            return 411
        if int(length) > MAX_BYTES:
            return 413
        try:
            # The signature covers the received bytes: parsed and written again they would differ. Requests over five
            # minutes old are refused.
            body = self.rfile.read(int(length))
            notice = verify_webhook(body, self.headers, SECRET)
        except WebhookVerificationError:
            # Nothing of it is printed: a stranger may send what a terminal obeys.
            print("A request is not signed with this secret", flush=True)
            return 401
        notice_id = str(self.headers["webhook-id"])
        print(notice_id, "again" if notice_id in seen else json.dumps(notice), flush=True)
        seen.add(notice_id)
        return 204

    def log_message(self, format: str, *_: Any) -> None:
        """Prints what came, and no line of the server's own."""


class Server(ThreadingHTTPServer):
    connections = threading.BoundedSemaphore(MAX_CONNECTIONS)

    def verify_request(self, request: Any, client_address: Any) -> bool:
        return self.connections.acquire(blocking=False)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        end = threading.Timer(MAX_SECONDS, shut, [request])
        end.daemon = True
        end.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            end.cancel()
            self.connections.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that breaks is no error of this program."""


def shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # It has ended meanwhile.


# An empty secret, for one, must be noticed now and not at the first delivery.
try:
    verify_webhook("", {}, SECRET)
except WebhookVerificationError:
    pass
except ValueError as error:
    raise SystemExit(f"WEBHOOK_SECRET: {error}") from None

server = Server(("127.0.0.1", PORT), Receiver)
print(f"Waiting at http://localhost:{server.server_port}/", flush=True)
server.serve_forever()
