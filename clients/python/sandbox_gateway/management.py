"""A client of the management API: keys, usage and requests by program, with a management token."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Callable, Iterator, Literal, Mapping, Sequence, TypeVar

import httpx

from . import _manage as api
from ._execution import Executing
from ._manage import *  # The types of the answers.
from ._options import CallOptions, ClientOptions, Unpack
from ._reading import camel_case
from ._settings import MANAGEMENT, checked_id, checked_secret, settings_of
from ._types import Operation

T = TypeVar("T")
_Page = TypeVar("_Page", api.Projects, api.Keys, api.Requests)
_OPTIONS = CallOptions.__annotations__


class _Resource:
    def __init__(self, client: Executing) -> None:
        self._client = client

    def _call(
        self, method: Literal["GET", "POST", "PATCH"], path: str, answer: type[T], given: Mapping[str, object]
    ) -> T:
        """What is given is of the request, but for the options of a call."""
        options: dict[str, Any] = {name: value for name, value in given.items() if name in _OPTIONS}
        body = {camel_case(name): _sent(value) for name, value in given.items() if name not in _OPTIONS}
        return self._client.execute(Operation(method, path, body, answer), **options).data

    def _all(
        self, path: str, page: type[_Page], entries: Callable[[_Page], Sequence[T]], given: Mapping[str, object]
    ) -> Iterator[T]:
        cursor = given.get("cursor")
        while True:
            answer = self._call("GET", path, page, {**given, "cursor": cursor})
            yield from entries(answer)
            cursor = answer.cursor
            if cursor is None:
                return


def _sent(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


def _keys(project_id: str) -> str:
    return f"/projects/{checked_id(project_id, 'project_id')}/keys"


def _key(project_id: str, key_id: str) -> str:
    return f"{_keys(project_id)}/{checked_id(key_id, 'key_id')}"


class ProjectsResource(_Resource):
    """What keys and the quota belong to."""

    def list(self, **query: Unpack[api.ListProjectsQuery]) -> Iterator[api.Project]:
        """Those that the token may use, with their quota, in the order of their ids: page after page."""
        return self._all("/projects", api.Projects, lambda page: page.projects, query)


class KeysResource(_Resource):
    """Keys of a project."""

    def list(self, project_id: str, **query: Unpack[api.ListKeysQuery]) -> Iterator[api.Key]:
        """Active ones first; ended ones for 90 days: page after page. `limit` is of a page."""
        return self._all(_keys(project_id), api.Keys, lambda page: page.keys, query)

    def get(self, project_id: str, key_id: str, **options: Unpack[CallOptions]) -> api.Key:
        """What is known of a key; the key itself is not."""
        return self._call("GET", _key(project_id, key_id), api.Key, options)

    def create(self, project_id: str, **key: Unpack[api.NewKey]) -> api.KeyCreated:
        """
        Makes a key, whose `key` is shown this once. All attempts have one Idempotency-Key: where an answer is lost,
        there is one key all the same, and its secret is the one that is given here.
        """
        return self._call("POST", _keys(project_id), api.KeyCreated, key)

    def update(self, project_id: str, key_id: str, **changes: Unpack[api.KeyChanges]) -> api.Key:
        """Changes what is given, from the next request of the key on. None is a value: no limit, no end."""
        return self._call("PATCH", _key(project_id, key_id), api.Key, changes)

    def rotate(self, project_id: str, key_id: str, **rotation: Unpack[api.Rotation]) -> api.KeyCreated:
        """Makes a key in the place of this one, which works until the end of its grace. As `create`."""
        return self._call("POST", f"{_key(project_id, key_id)}/rotate", api.KeyCreated, rotation)

    def revoke(self, project_id: str, key_id: str, **options: Unpack[CallOptions]) -> api.Key:
        """Ends a key: its next request is refused. Done again, it changes nothing."""
        return self._call("POST", f"{_key(project_id, key_id)}/revoke", api.Key, options)


class UsageResource(_Resource):
    """What the ledger has of a project, in sums."""

    def get(self, project_id: str, **query: Unpack[api.ReadUsageQuery]) -> api.Usage:
        """By day, by hour or by key. While `complete` is false, ask again: each request sums further."""
        return self._call("GET", f"/projects/{checked_id(project_id, 'project_id')}/usage", api.Usage, query)


class RequestsResource(_Resource):
    """Requests to the gateway."""

    def list(self, project_id: str, **query: Unpack[api.ListRequestsQuery]) -> Iterator[api.Request]:
        """The newest first: page after page. `limit` is of a page."""
        path = f"/projects/{checked_id(project_id, 'project_id')}/requests"
        return self._all(path, api.Requests, lambda page: page.requests, query)

    def get(self, request_id: str, **options: Unpack[CallOptions]) -> api.RequestDetails:
        """A request by its id, of any project that the token may use, and why it was refused."""
        return self._call("GET", f"/requests/{checked_id(request_id, 'request_id')}", api.RequestDetails, options)


class SandboxManagement(Executing):
    """
    A client of the management API, for servers. Threads may share one. Its connections are kept until `close`. A call
    gives the answer's body as a dataclass, and raises a `SandboxGatewayError`, with `status` and `code`.
    """

    def __init__(
        self,
        *,
        token: str | None = None,
        transport: httpx.BaseTransport | None = None,
        **options: Unpack[ClientOptions],
    ) -> None:
        """
        token: a management token, `svc_mgmt_…`. Default: `SANDBOX_MANAGEMENT_TOKEN` of the environment.
        base_url: with `/manage/v1`, as `https://portal.example/manage/v1`. Default: `SANDBOX_MANAGEMENT_BASE_URL` of the
            environment.
        transport, and the others: as of `SandboxGateway`; see `ClientOptions`.
        """
        secret = checked_secret(MANAGEMENT, token)
        del token
        super().__init__(settings_of(MANAGEMENT, secret, **options), transport)
        self.projects = ProjectsResource(self)
        self.keys = KeysResource(self)
        self.usage = UsageResource(self)
        self.requests = RequestsResource(self)
