"""What the webhooks of the portal tell: ids and numbers, no name and no address."""

from __future__ import annotations

from typing import Literal, TypedDict, Union


class _Sample(TypedDict, total=False):
    isSample: Literal[True]
    """An owner has sent a sample; nothing has happened."""


class _OfAccount(_Sample):
    accountId: str


class _OfMember(_OfAccount):
    memberId: str


class _OfProject(_OfAccount):
    projectId: str


class _OfKey(_OfProject):
    keyId: str


class _OfEndpoint(_OfAccount):
    endpointId: str


class _OfMemberInRole(_OfMember):
    role: str


class _Invited(_OfMemberInRole, total=False):
    isAgain: Literal[True]
    """The invitation was sent once more."""


class _RoleChanged(_OfMember):
    before: str
    after: str


class _LimitsChanged(_OfProject):
    """Units of a period; None: no quota."""

    before: int | None
    after: int | None


class _Reached(TypedDict):
    """So much of a limit is used."""

    thresholdPercent: int
    units: int
    """Units that are used in this period."""
    unitsLimit: int
    period: str
    """The month, or the day: `2026-11` or `2026-11-27`."""


class _QuotaReached(_OfProject, _Reached):
    pass


class _CapReached(_OfKey, _Reached):
    pass


class _Expiring(TypedDict):
    """In so many days."""

    expiresAt: str
    days: int


class _KeyExpires(_OfKey, _Expiring):
    pass


class _TokenExpires(_OfAccount, _Expiring):
    tokenId: str


class _Leaked(_OfKey):
    foundAt: str | None
    """Where the key was found in public, if its finder says so."""
    isRevoked: bool
    """False: it still works."""


class _Notice(TypedDict):
    timestamp: str
    """When it happened, ISO 8601."""


class InvitationCreated(_Notice):
    type: Literal["invitation.created"]
    data: _Invited


class InvitationAnswered(_Notice):
    type: Literal["invitation.accepted", "invitation.declined"]
    data: _OfMember


class MemberRoleChanged(_Notice):
    type: Literal["member.role_changed"]
    data: _RoleChanged


class MemberRemoved(_Notice):
    type: Literal["member.removed"]
    data: _OfMemberInRole


class ProjectSuspended(_Notice):
    type: Literal["project.suspended"]
    data: _OfProject


class ProjectLimitsChanged(_Notice):
    type: Literal["project.limits_changed"]
    data: _LimitsChanged


class QuotaThresholdReached(_Notice):
    type: Literal["quota.threshold_reached"]
    data: _QuotaReached


class KeyCapReached(_Notice):
    type: Literal["key.cap_reached"]
    data: _CapReached


class KeyExpiring(_Notice):
    type: Literal["key.expiring"]
    data: _KeyExpires


class TokenExpiring(_Notice):
    type: Literal["token.expiring"]
    data: _TokenExpires


class KeyLeaked(_Notice):
    type: Literal["key.leaked"]
    data: _Leaked


class EndpointNotice(_Notice):
    """It was disabled, or this is a test delivery."""

    type: Literal["endpoint.disabled", "endpoint.test"]
    data: _OfEndpoint


Notice = Union[
    InvitationCreated,
    InvitationAnswered,
    MemberRoleChanged,
    MemberRemoved,
    ProjectSuspended,
    ProjectLimitsChanged,
    QuotaThresholdReached,
    KeyCapReached,
    KeyExpiring,
    TokenExpiring,
    KeyLeaked,
    EndpointNotice,
]
"""The body of a delivery. A later version of the portal may send types that are not here."""
