import type { NoticeType } from '../../shared/notice-type.ts';

const projectId = 'Qm4kT7yB1cW9';
const keyId = 'key_9aBcD3fGhJ5kLmN7';
const memberId = 'mem_Zx8cV6bN4mQ2wE0r';
const period = '2026-11';

/**
 * The `data` of a sample of each type, without the account. `webhooks` of `openapi.yaml` has the same, and tests
 * compare both with what is sent.
 */
export const NOTICE_SAMPLES: Readonly<Record<NoticeType, Readonly<Record<string, string | number | boolean | null>>>> =
  {
    'quota.threshold_reached': { projectId, thresholdPercent: 80, units: 8_000, unitsLimit: 10_000, period },
    'key.cap_reached': { projectId, keyId, thresholdPercent: 100, units: 500, unitsLimit: 500, period },
    'key.expiring': { projectId, keyId, expiresAt: '2026-12-01T09:30:00.000Z', days: 7 },
    'token.expiring': { tokenId: 'tok_Yt7bN2wK8cQ1vH5s', expiresAt: '2026-12-01T09:30:00.000Z', days: 7 },
    'key.leaked': { projectId, keyId, foundAt: 'https://example.com/where', isRevoked: true },
    'project.suspended': { projectId },
    'project.limits_changed': { projectId, before: 10_000, after: 50_000 },
    'invitation.created': { memberId, role: 'member' },
    'invitation.accepted': { memberId },
    'invitation.declined': { memberId },
    'member.role_changed': { memberId, before: 'member', after: 'owner' },
    'member.removed': { memberId, role: 'member' },
    'endpoint.disabled': { endpointId: 'ept_Hn5jR2wK8cY1vQ6s' },
  };
