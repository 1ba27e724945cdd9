import { answer, found, openAccount, Refused, recordChange, type Answer } from './answers.ts';
import type { Asked } from './commands.ts';
import { nextSince } from './people.ts';
import { isGone, revoke, setStatus, usedOf } from './projects.ts';
import { add, close, endOf, isLastOwner, memberWith, requireReplaceable, take } from './teams.ts';
import { iso, isoOrNull, isOver, minuteOf, monthOf, type Project, type World } from './world.ts';

/** The name of the platform team in the audit. */
export const OPERATOR = 'arn:aws:iam::123456789012:user/operator';
const DONE = answer(200);
/** The time after which a key is set to expire. */
export const EXPIRES_IN_MS = 60_000;

function projectOf(world: World, asked: Asked) {
  const project = found(world.projects.find(({ projectId }) => projectId === asked.projectId));
  const account = found(world.accounts.find(({ accountId }) => accountId === project.accountId));
  return { project, account };
}

export function operatorSets(status: Project['status']) {
  return (world: World, asked: Asked): Answer => {
    const { project, account } = projectOf(world, asked);
    if (project.status === 'closed') throw new Refused('INVALID_REQUEST');
    setStatus(world, account, project, status, OPERATOR);
    return DONE;
  };
}

function keyOf(world: World, asked: Asked) {
  const { account } = projectOf(world, asked);
  const { projectId, keyId } = asked;
  const key = world.keys.find((known) => known.keyId === keyId && known.projectId === projectId);
  return { account, key: found(key && isGone(world, key) ? undefined : key) };
}

export function operatorRevokes(world: World, asked: Asked): Answer {
  const { account, key } = keyOf(world, asked);
  revoke(world, account, key, OPERATOR);
  return DONE;
}

export function operatorExpires(world: World, asked: Asked): Answer {
  const { account, key } = keyOf(world, asked);
  const { keyId, projectId, expiresAtMs: before } = key;
  const after = world.nowMs + EXPIRES_IN_MS;
  if (isOver(key, world.nowMs)) throw new Refused('KEY_NOT_ACTIVE');
  if (after > (before ?? Infinity)) throw new Refused('INVALID_REQUEST');
  if (after === before) return DONE;
  key.expiresAtMs = after;
  const change = { before: { expiresAt: isoOrNull(before) }, after: { expiresAt: iso(after) } };
  recordChange(world, account, OPERATOR, 'key.expire', { projectId, keyId, ...change });
  return DONE;
}

export function operatorClosesAccount(world: World, asked: Asked): Answer {
  close(world, found(openAccount(world, asked.accountId)), OPERATOR);
  return DONE;
}

/** Also beyond the limit of members. */
export function operatorInvites(world: World, asked: Asked, seen: Answer): Answer {
  const account = found(openAccount(world, asked.accountId));
  const same = memberWith(account, asked.email);
  if (same) requireReplaceable(same, world.nowMs);
  const { memberId = '' } = seen.body as { memberId?: string };
  add(world, account, asked, memberId, { invitedBy: 'operator', invitedByKind: 'operator' }, OPERATOR);
  return answer(200, { memberId });
}

export function operatorRemoves(world: World, asked: Asked): Answer {
  const account = found(openAccount(world, asked.accountId));
  const member = found(account.members.find(({ memberId }) => memberId === asked.memberId));
  if (isLastOwner(account, member)) throw new Refused('LAST_OWNER');
  take(world, account, member, OPERATOR, endOf(member, false));
  return DONE;
}

/** Ends every session of a member, also if the account is closed. */
export function operatorSignsOut(world: World, asked: Asked): Answer {
  const account = found(world.accounts.find(({ accountId }) => accountId === asked.accountId));
  const member = found(account.members.find(({ memberId }) => memberId === asked.memberId));
  if (member.userId === undefined) throw new Refused('INVALID_REQUEST');
  const person = found(world.people.find(({ userId }) => userId === member.userId));
  const { sessionsSinceMs: before } = person;
  person.sessionsSinceMs = nextSince(world, person);
  const change = {
    before: { sessionsSince: isoOrNull(before) },
    after: { sessionsSince: iso(person.sessionsSinceMs) },
  };
  recordChange(world, account, OPERATOR, 'member.sign-out', {
    memberId: member.memberId,
    userId: person.userId,
    ...change,
  });
  return DONE;
}

/** A request to the gateway with a key. The gateway's other promises have their own model (test/model/ping.ts). */
export function ping(world: World, asked: Asked, seen: Answer): Answer {
  const { requestId } = seen.body as { requestId: string };
  const key = world.keys.find(({ secret }) => secret === asked.key);
  if (!key) return answer(401, { code: 'INVALID_API_KEY', requestId });
  const { project } = projectOf(world, { ...asked, projectId: key.projectId });
  const minute = minuteOf(world.nowMs);
  const record = (code: string | null): void => {
    const event = { requestId, keyId: key.keyId, code, occurredAtMs: world.nowMs };
    // Refusals without a rate limit leave one event a minute.
    const isKnown = project.events.some(
      (other) =>
        code !== null && other.keyId === key.keyId && other.code === code && minuteOf(other.occurredAtMs) === minute,
    );
    if (!isKnown) project.events.push(event);
  };
  const refuse = (status: number, code: string): Answer => {
    record(code);
    return answer(status, { code, requestId });
  };
  if (key.revokedAtMs !== undefined) return refuse(401, 'API_KEY_REVOKED');
  if (isOver(key, world.nowMs)) return refuse(401, 'API_KEY_EXPIRED');
  key.window = { minute, count: key.window?.minute === minute ? key.window.count + 1 : 1 };
  if (project.status !== 'active') return refuse(403, 'PROJECT_SUSPENDED');
  const month = monthOf(world.nowMs);
  const { unitsLimit = Infinity, capId } = key;
  const used = usedOf(world, project, key) ?? 0;
  if (used >= unitsLimit) {
    // It was counted by the rate limit, so each has an event.
    project.events.push({ requestId, keyId: key.keyId, code: 'KEY_QUOTA_EXCEEDED', occurredAtMs: world.nowMs });
    return answer(429, { code: 'KEY_QUOTA_EXCEEDED', requestId });
  }
  if (unitsLimit !== Infinity) project.usedOfCaps[`${month} ${capId}`] = used + 1;
  project.used[month] = (project.used[month] ?? 0) + 1;
  record(null);
  return answer(200, { code: null, requestId });
}
