import asyncio
import contextlib
import os
import socket
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import httpx

from sandbox_gateway import APITimeoutError, AsyncSandboxGateway, SandboxGateway

from .support import BOTH, of, ready

ANSWER = ready(None)
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(ANSWER.content), ANSWER.content)


class Server:
    """Answers each request on its connections with bytes, and then what drips, a byte each 50 ms."""

    def __init__(self, drips=b"", first=b""):
        self.first, self.drips = first, drips
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.connections = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection = self.socket.accept()[0]
                self.connections.append(connection)
                threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with contextlib.suppress(OSError), connection:
            while received := connection.recv(65_536):
                while not received.endswith(b"}"):
                    received += connection.recv(65_536)
                connection.sendall(self.first)
                self.first = b"" if self.drips else self.first
                for byte in self.drips:
                    time.sleep(0.05)
                    connection.sendall(bytes([byte]))

    def __enter__(self):
        return f"http://127.0.0.1:{self.socket.getsockname()[1]}"

    def __exit__(self, *_):
        for each in (self.socket, *self.connections):
            each.close()


def pings(client, *calls):
    """All of them at once, each with its options: what each came to."""

    async def at_once():
        async with client:
            return await asyncio.gather(*[client.ping(**options) for options in calls], return_exceptions=True)

    def one(options):
        try:
            return client.ping(**options)
        except Exception as error:
            return error

    if isinstance(client, AsyncSandboxGateway):
        return asyncio.run(at_once())
    with client, ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(one, calls))


class Connections(unittest.TestCase):
    def test_an_attempt_ends_in_time_though_headers_drip_or_a_body_does(self):
        for drips in (b"HTTP/1.1 200 OK\r\nX-Drip: " + b"x" * 200, b"x" * 200):
            for kind in BOTH:
                head = b"" if drips[:4] == b"HTTP" else b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"
                with self.subTest((kind, drips[:4])), Server(drips, head) as base_url:
                    started_at = time.monotonic()
                    (error,) = pings(of(kind, base_url=base_url, max_retries=0, timeout=0.4), {})
                    self.assertIsInstance(error, APITimeoutError)
                    self.assertLess(time.monotonic() - started_at, 0.9)

    def test_a_connection_that_is_used_again_is_bounded_too(self):
        with Server(b"HTTP/1.1 200 OK\r\nX-Drip: " + b"x" * 200, WHOLE) as base_url:
            with of(base_url=base_url, max_retries=0, timeout=0.4) as client:
                client.ping()
                started_at = time.monotonic()
                self.assertRaises(APITimeoutError, client.ping)
                self.assertLess(time.monotonic() - started_at, 0.9)

    @unittest.skipUnless(os.path.isdir("/proc/self/fd"), "without /proc")
    def test_attempts_that_end_or_are_cancelled_leave_no_connection(self):
        async def many(client):
            async with client:
                before = len(os.listdir("/proc/self/fd"))
                for _ in range(12):
                    with self.assertRaises(APITimeoutError):
                        await client.ping()
                    with self.assertRaises(asyncio.TimeoutError):
                        await asyncio.wait_for(client.ping(timeout=9), 0.05)
                return len(os.listdir("/proc/self/fd")) - before

        with Server() as base_url:
            client = of(AsyncSandboxGateway, base_url=base_url, max_retries=0, timeout=0.05)
            # The server may not have noticed the end of the last ones.
            self.assertLess(asyncio.run(many(client)), 6)

    def test_at_most_so_many_are_used_at_once_and_each_call_has_its_turn(self):
        class Counting(httpx.BaseTransport, httpx.AsyncBaseTransport):
            now = most = 0

            def enter(self, step):
                self.now += step
                self.most = max(self.most, self.now)

            def handle_request(self, request):
                self.enter(1)
                time.sleep(0.01)
                self.enter(-1)
                return ready(request)

            async def handle_async_request(self, request):
                self.enter(1)
                await asyncio.sleep(0.01)
                self.enter(-1)
                return ready(request)

        for kind in BOTH:
            transport = Counting()
            results = pings(of(kind, transport=transport, max_connections=3), *[{}] * 30)
            self.assertEqual([type(each).__name__ for each in results], ["Result"] * 30)
            self.assertEqual(transport.most, 3)

    def test_a_call_that_gets_no_turn_in_its_time_says_so_and_the_next_one_has_its_turn(self):
        class Held(httpx.BaseTransport, httpx.AsyncBaseTransport):
            def __init__(self):
                self.sent, self.ended = 0, threading.Event()

            def handle_request(self, request):
                self.sent += 1
                self.ended.wait(30)
                return ready(request)

            async def handle_async_request(self, request):
                self.sent += 1
                await asyncio.to_thread(self.ended.wait, 30)
                return ready(request)

        def held(client, transport):
            with ThreadPoolExecutor(2) as threads:
                first = [threads.submit(client.ping) for _ in range(2)]
                while transport.sent < 2:
                    time.sleep(0.001)
                with self.assertRaises(APITimeoutError) as raised:
                    client.ping(timeout=0.05)
                transport.ended.set()
                return raised.exception, [each.result() for each in first], client.ping()

        async def held_async(client, transport):
            first = [asyncio.create_task(client.ping()) for _ in range(2)]
            while transport.sent < 2:
                await asyncio.sleep(0.001)
            with self.assertRaises(APITimeoutError) as raised:
                await client.ping(timeout=0.05)
            transport.ended.set()
            return raised.exception, await asyncio.gather(*first), await client.ping()

        for kind in BOTH:
            transport = Held()
            client = of(kind, transport=transport, max_connections=2, max_retries=0, timeout=30)
            came = held(client, transport) if kind is SandboxGateway else asyncio.run(held_async(client, transport))
            details = "It was not sent: all 2 connections were in use for 0.05 s (max_connections)."
            self.assertEqual((came[0].detail, transport.sent), (details, 3))

    def test_a_connection_is_kept(self):
        for kind in BOTH:
            with (server := Server(first=WHOLE)) as base_url:
                client = of(kind, base_url=base_url, max_connections=1)
                results = [type(each).__name__ for each in pings(client, *[{}] * 5)]
            self.assertEqual((results, len(server.connections)), (["Result"] * 5, 1))

    def test_what_watches_or_replaces_httpx_sees_each_request(self):
        """As OpenTelemetry and pytest-httpx: they replace these methods."""

        async def answer(self, request):
            seen.append(request)
            return ready(request)

        for kind, method, replacement in (
            (SandboxGateway, "HTTPTransport.handle_request", lambda self, request: seen.append(request) or ready(request)),
            (AsyncSandboxGateway, "AsyncHTTPTransport.handle_async_request", answer),
        ):
            seen = []
            with self.subTest(kind), mock.patch(f"httpx.{method}", replacement):
                (result,) = pings(of(kind), {})
            self.assertEqual((result.data.ok, len(seen)), (True, 1))

    def test_a_transport_of_httpx_that_is_handed_in_is_bounded_and_stays_its_owners(self):
        transport = httpx.HTTPTransport()
        with Server(b"HTTP/1.1 200 OK\r\nX-Drip: " + b"x" * 20, WHOLE) as base_url:
            gateway = of(transport=transport, base_url=base_url, max_retries=0, timeout=0.4)
            gateway.ping()
            self.assertRaises(APITimeoutError, gateway.ping)
        with Server(first=WHOLE) as base_url:
            of(transport=transport, base_url=base_url).ping()
            with httpx.Client(transport=transport) as client:
                self.assertEqual(client.post(base_url, json={}).status_code, 200)
