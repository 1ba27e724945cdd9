import asyncio
import gc
import json
import multiprocessing
import os
import unittest
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from sandbox_gateway import AsyncSandboxGateway, SandboxGateway


class Gateway(BaseHTTPRequestHandler):
    """Answers each request with its own name, over connections that are kept."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        name = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["clientRequestId"]
        body = {"ok": True, "mode": "sandbox", "message": "Sandbox gateway is ready.", "requestId": name}
        answer = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def serve(port):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Gateway)
    port.send(server.server_port)
    server.serve_forever()


PROCESSES = 8
CALLS = 50


def wrong_answers(client, who):
    """How many of the calls have an answer that is not theirs."""
    names = [f"{who}-{number}" for number in range(CALLS)]
    if isinstance(client, SandboxGateway):
        return sum(client.ping(name).request_id != name for name in names)

    async def all_of_them():
        return [(await client.ping(name)).request_id != name for name in names]

    return sum(asyncio.run(all_of_them()))


@unittest.skipUnless(hasattr(os, "fork"), "without fork")
class Processes(unittest.TestCase):
    def setUp(self):
        # A process of its own, since only a process of one thread is forked.
        processes = multiprocessing.get_context("fork")
        port, told = processes.Pipe()
        server = processes.Process(target=serve, args=(told,), daemon=True)
        server.start()
        self.addCleanup(server.join)
        self.addCleanup(server.terminate)
        self.process = processes.Process
        self.options = {"api_key": "svc_test_x", "base_url": f"http://127.0.0.1:{port.recv()}", "max_retries": 0}
        self.addCleanup(told.close)
        self.addCleanup(port.close)

    def test_forked_processes_have_connections_of_their_own(self):
        for kind in (SandboxGateway, AsyncSandboxGateway):
            with self.subTest(kind), warnings.catch_warnings():
                # The connections of a loop that is over cannot be closed.
                warnings.simplefilter("ignore", ResourceWarning)
                self.assertEqual(self.statuses(kind(**self.options)), [0] * PROCESSES)
                gc.collect()

    def test_a_client_in_a_second_event_loop_is_told_so_at_once(self):
        async def twice(client):
            return [(await client.ping(name)).request_id for name in ("one", "two")]

        async def closed(client):
            async with client:
                return await twice(client)

        client = AsyncSandboxGateway(**{**self.options, "max_retries": 2})
        self.assertEqual(asyncio.run(closed(client)), ["one", "two"])
        with self.assertRaisesRegex(RuntimeError, "belongs to the event loop of its first call"):
            asyncio.run(twice(client))

    def statuses(self, client):
        self.assertEqual(wrong_answers(client, "before"), 0)
        children = [
            self.process(target=lambda who: os._exit(wrong_answers(client, who)), args=(who,))
            for who in range(PROCESSES)
        ]
        for child in children:
            child.start()
        if isinstance(client, SandboxGateway):
            self.assertEqual(wrong_answers(client, "parent"), 0)
        for child in children:
            child.join(30)
        return [child.exitcode for child in children]
