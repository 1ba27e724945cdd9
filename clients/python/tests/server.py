"""A server that does what a row of `clients/cases.json` says, one answer for each request; then it is ready."""

import json
import socket
import struct
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

API_KEY = "svc_test_" + "k" * 42
REQUEST_ID = "01a1fd70-f1c0-7c41-9d5b-3f2e8a6b1c0d"
RESET_EPOCH_SECONDS = 1_900_000_000


def _limit(prefix, limit, remaining):
    return {f"{prefix}-Limit": limit, f"{prefix}-Remaining": remaining, f"{prefix}-Reset": RESET_EPOCH_SECONDS}


OWN = {"X-Service-Request-Id": REQUEST_ID, **_limit("X-RateLimit", 60, 59)}
QUOTA = _limit("X-Service-Quota", 10_000, 9_999)
PING = {"ok": True, "mode": "sandbox", "message": "Sandbox gateway is ready.", "requestId": REQUEST_ID}
SUCCESSES = {
    "ready": {**OWN, **QUOTA},
    "endsAfter": {**OWN, **QUOTA},
    "replay": {**OWN, **QUOTA, "X-Service-Idempotency-Replayed": "true"},
    "unlimited": OWN,
}


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answers=()):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers, self.requests, self.ended = list(answers), [], threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def __exit__(self, *_):
        self.ended.set()
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        server = self.server
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        index = len(server.requests)
        server.requests.append({"url": self.path, "headers": self.headers, "body": body})
        step = server.answers[index] if index < len(server.answers) else "ready"
        if step == "silence":
            server.ended.wait()
        elif step == "endsBefore":
            self._reset()
        elif isinstance(step, str) and step in SUCCESSES:
            self._answer(200, SUCCESSES[step], json.dumps(PING))
            self.close_connection = step == "endsAfter"
        elif isinstance(step, str):
            self._answer(200 if step == "endsWithin" else 503, {**SUCCESSES["ready"], "Content-Length": 999}, '{"ok":')
            self._reset()
        else:
            self._answer_step(**step)

    def _answer_step(self, status, code=None, headers=None, body=None, echoesKey=False):
        detail = f"You sent Bearer {API_KEY}." if echoesKey else "No."
        problem = {"status": status, "detail": detail, "ok": False, "code": code, "requestId": REQUEST_ID}
        text = body if isinstance(body, str) else json.dumps(problem if body is None else body)
        self._answer(status, {**(OWN if code else {}), **(headers or {})}, text)

    def _answer(self, status, headers, text):
        self.send_response(status)
        for name, value in {"Content-Length": len(text), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(text.encode())

    def _reset(self):
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def log_message(self, *_):
        pass
