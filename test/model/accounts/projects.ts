import {
  actorOf,
  answer,
  asMember,
  count,
  found,
  madeBefore,
  Refused,
  requireOwner,
  recordChange,
  type Answer,
} from './answers.ts';
import type { Asked } from './commands.ts';
import {
  activeKeys,
  byId,
  DAY_MS,
  ENDED_SHOWN_MS,
  HOUR_MS,
  isActive,
  iso,
  isOver,
  isoOrNull,
  LIMITS,
  monthOf,
  openProjects,
  REISSUE_MS,
  type Account,
  type Key,
  type Project,
  type World,
} from './world.ts';

/** The limits of new projects and keys. */
export const QUOTA_UNITS = 10_000;
export const RPM = 60;
const MINUTE_MS = 60_000;

export function createProject(world: World, asked: Asked, seen: Answer): Answer {
  const { person, account } = asMember(world, asked);
  const { accountId } = account;
  count(world, person, 'CHANGES');
  const { id, remember } = madeBefore(world, person, asked, { name: asked.name.kept }, 'project', accountId);
  if (id !== undefined) return answer(201, { projectId: id });
  if (openProjects(world, account).length >= LIMITS.projectsPerAccount) throw new Refused('LIMIT_REACHED');
  // A closed project stays counted, because it had the quota of a whole month.
  const month = `${accountId} ${monthOf(world.nowMs)}`;
  const made = world.projectsMade[month] ?? 0;
  if (made >= LIMITS.projectsPerPeriod) throw new Refused('LIMIT_REACHED');
  world.projectsMade[month] = made + 1;
  const { projectId = '' } = seen.body as { projectId?: string };
  const name = asked.name.kept ?? '';
  world.projects.push({
    ...{ projectId, accountId, name, status: 'active', createdAtMs: world.nowMs, closedAtMs: undefined },
    ...{ used: {}, usedOfCaps: {}, events: [] },
  });
  const after = { name, quotaLimit: QUOTA_UNITS, status: 'active' };
  recordChange(world, account, actorOf(person), 'project.create', { projectId, before: null, after });
  remember(projectId);
  return answer(201, { projectId });
}

/** A project of the account that is not closed. */
function asMemberOf(world: World, asked: Asked) {
  const within = asMember(world, asked);
  const project = found(openProjects(world, within.account).find(({ projectId }) => projectId === asked.projectId));
  return { ...within, project };
}

const FREE_EVENT_SECONDS = 30 * 86_400;
/** Refusals are shown for 30 days, to the second. Charged events are shown for longer than any sequence. */
const shown = (world: World, { events }: Project): Project['events'] =>
  events.filter(
    ({ code, occurredAtMs }) =>
      code === null || Math.floor(occurredAtMs / 1_000) + FREE_EVENT_SECONDS > Math.floor(world.nowMs / 1_000),
  );
const latest = (events: Project['events']): string | null =>
  events.length === 0 ? null : iso(Math.max(...events.map(({ occurredAtMs }) => occurredAtMs)));

const overview = (world: World, project: Project) => ({
  ...{ projectId: project.projectId, name: project.name, status: project.status },
  ...{ quotaLimit: QUOTA_UNITS, quotaUsed: project.used[monthOf(world.nowMs)] ?? 0 },
  period: monthOf(world.nowMs),
  activeKeys: activeKeys(world, project.projectId).length,
  createdAt: iso(project.createdAtMs),
  lastRequest: latest(shown(world, project)),
});

export function listProjects(world: World, asked: Asked): Answer {
  const { account } = asMember(world, asked);
  const projects = openProjects(world, account).sort(byId((p) => p.projectId));
  return answer(200, { projects: projects.map((project) => overview(world, project)), cursor: null });
}

export const readProject = (world: World, asked: Asked): Answer =>
  answer(200, overview(world, asMemberOf(world, asked).project));

export function renameProject(world: World, asked: Asked): Answer {
  const { person, account, project } = asMemberOf(world, asked);
  count(world, person, 'CHANGES');
  const { projectId, name: before } = project;
  const name = asked.name.kept ?? '';
  if (name !== before) {
    recordChange(world, account, actorOf(person), 'project.update', {
      projectId,
      before: { name: before },
      after: { name },
    });
    project.name = name;
  }
  return answer(200, overview(world, project));
}

export function closeProject(world: World, asked: Asked): Answer {
  const { person, account, member, project } = asMemberOf(world, asked);
  requireOwner(member);
  count(world, person, 'CHANGES');
  setStatus(world, account, project, 'closed', actorOf(person));
  return answer(204);
}

const STATUS_ACTIONS = { active: 'project.resume', suspended: 'project.suspend', closed: 'project.close' } as const;

export function setStatus(
  world: World,
  account: Account,
  project: Project,
  status: Project['status'],
  actor: string,
): void {
  const { projectId, status: before } = project;
  if (status === before) return;
  project.status = status;
  if (status === 'closed') project.closedAtMs = world.nowMs;
  recordChange(world, account, actor, STATUS_ACTIONS[status], {
    projectId,
    before: { status: before },
    after: { status },
  });
}

const view = (key: Key, nowMs: number) => ({
  ...{ keyId: key.keyId, name: key.name ?? null, mode: 'test', scopes: ['sandbox:invoke'], rpm: RPM },
  unitsLimit: key.unitsLimit ?? null,
  createdAt: iso(key.createdAtMs),
  lastFour: key.secret.slice(-4),
  status: key.revokedAtMs !== undefined ? 'revoked' : isOver(key, nowMs) ? 'expired' : 'active',
  expiresAt: isoOrNull(key.expiresAtMs),
  replacedBy: key.replacedBy ?? null,
  lastUsed: key.window ? iso(key.window.minute * MINUTE_MS) : null,
});

const endedMs = ({ revokedAtMs = Infinity, expiresAtMs = Infinity }: Key): number => Math.min(revokedAtMs, expiresAtMs);
/** A key is shown until 90 days after its end. */
export const isGone = (world: World, key: Key): boolean => world.nowMs >= endedMs(key) + ENDED_SHOWN_MS;

/** Active keys in one page; or also ended keys, which counts as a read. */
export function listKeys(world: World, asked: Asked): Answer {
  const { person } = asMember(world, asked);
  if (asked.everywhere) count(world, person, 'READS');
  const { project } = asMemberOf(world, asked);
  const keys = world.keys
    .filter((key) => key.projectId === project.projectId)
    .filter((key) => (asked.everywhere ? !isGone(world, key) : !isOver(key, world.nowMs)))
    .sort((a, b) => endedMs(b) - endedMs(a) || (a.keyId < b.keyId ? 1 : -1));
  const withUsed = (key: Key) => ({ ...view(key, world.nowMs), unitsUsed: usedOf(world, project, key) ?? null });
  return answer(200, { keys: keys.map(withUsed), cursor: null });
}

/** What the cap of a key has used this month; undefined: it has none. */
export const usedOf = (world: World, { usedOfCaps }: Project, { unitsLimit, capId }: Key): number | undefined =>
  unitsLimit === undefined ? undefined : (usedOfCaps[`${monthOf(world.nowMs)} ${capId}`] ?? 0);

export function createKey(world: World, asked: Asked, seen: Answer): Answer {
  const { person, account, project } = asMemberOf(world, asked);
  const { projectId } = project;
  count(world, person, 'CHANGES');
  const { days } = asked;
  const unitsLimit = asked.unitsLimit ?? undefined;
  const inputs = { name: asked.name.kept, days, unitsLimit };
  const { id, remember } = madeBefore(world, person, asked, inputs, 'key', projectId);
  if (id !== undefined) return reissue(world, account, actorOf(person), id, seen);
  if (activeKeys(world, projectId).length >= LIMITS.activeKeysPerProject) throw new Refused('LIMIT_REACHED');
  const lifetimeMs = days === undefined ? undefined : days * DAY_MS;
  const like = { projectId, name: asked.name.kept, lifetimeMs, replaces: undefined, unitsLimit, capId: undefined };
  const made = addKey(world, account, actorOf(person), like, seen);
  remember(made.keyId);
  return answer(201, made);
}

function addKey(
  world: World,
  account: Account,
  actor: string,
  like: Pick<Key, 'projectId' | 'name' | 'lifetimeMs' | 'replaces' | 'unitsLimit' | 'capId'>,
  seen: Answer,
) {
  const { keyId = '', key: secret = '' } = seen.body as { keyId?: string; key?: string };
  const { projectId, name, lifetimeMs, replaces, unitsLimit } = like;
  const capId = like.capId ?? (unitsLimit === undefined ? undefined : keyId);
  const expiresAtMs = lifetimeMs === undefined ? undefined : world.nowMs + lifetimeMs;
  world.keys.push({
    ...{ keyId, projectId, secret, unseen: [], name, createdAtMs: world.nowMs, lifetimeMs, expiresAtMs },
    ...{ revokedAtMs: undefined, replacedBy: undefined, replacedAtMs: undefined, replaces, window: undefined },
    ...{ unitsLimit, capId },
  });
  const after = { name: name ?? null, mode: 'test', scopes: ['sandbox:invoke'], rpm: RPM, status: 'active' };
  const limit = unitsLimit === undefined ? {} : { unitsLimit };
  const change = { ...after, ...limit, expiresAt: isoOrNull(expiresAtMs) };
  recordChange(world, account, actor, 'key.create', { projectId, keyId, before: null, after: change });
  return { keyId, key: secret };
}

/** The answer of a repeated creation. It has a new secret in place of the one that was lost. */
function reissue(world: World, account: Account, actor: string, id: string, seen: Answer): Answer {
  const made = found(world.keys.find(({ keyId }) => keyId === id));
  const key = found(isGone(world, made) ? undefined : made);
  const { keyId, projectId } = key;
  const isLate = world.nowMs >= key.createdAtMs + REISSUE_MS;
  if (!isActive(key, world.nowMs) || key.window || isLate) throw new Refused('CHANGED_MEANWHILE');
  key.unseen.push(key.secret);
  key.secret = (seen.body as { key?: string }).key ?? '';
  if (key.unseen.includes(key.secret)) throw new Error('a key that was shown before');
  recordChange(world, account, actor, 'key.reissue', { projectId, keyId, before: {}, after: {} });
  return answer(201, { keyId, key: key.secret });
}

/** The key that the command names. */
function asMemberWithKey(world: World, asked: Asked) {
  const within = asMemberOf(world, asked);
  const { projectId } = within.project;
  const key = world.keys.find((known) => known.keyId === asked.keyId && known.projectId === projectId);
  return { ...within, key: found(key && isGone(world, key) ? undefined : key) };
}

export function renameKey(world: World, asked: Asked): Answer {
  const { person, account, project, key } = asMemberWithKey(world, asked);
  count(world, person, 'CHANGES');
  const name = asked.name.kept ?? '';
  if (name !== key.name) {
    const change = { before: { name: key.name ?? null }, after: { name } };
    recordChange(world, account, actorOf(person), 'key.update', {
      projectId: project.projectId,
      keyId: key.keyId,
      ...change,
    });
    key.name = name;
  }
  return answer(200, view(key, world.nowMs));
}

/** The cap of a key is that of its predecessor in its grace, too, which cannot have another. */
export function capKey(world: World, asked: Asked): Answer {
  const { person, account, key } = asMemberWithKey(world, asked);
  count(world, person, 'CHANGES');
  const unitsLimit = asked.unitsLimit ?? undefined;
  if (unitsLimit === key.unitsLimit) return answer(200, view(key, world.nowMs));
  if (key.replacedBy !== undefined) throw new Refused('KEY_NOT_ACTIVE');
  const capId = key.capId ?? (unitsLimit === undefined ? undefined : key.keyId);
  for (const one of world.keys) {
    if (one !== key && (one.keyId !== key.replaces || isOver(one, world.nowMs))) continue;
    const { projectId, keyId } = one;
    const change = { before: { unitsLimit: one.unitsLimit ?? null }, after: { unitsLimit: unitsLimit ?? null } };
    recordChange(world, account, actorOf(person), 'key.update', { projectId, keyId, ...change });
    Object.assign(one, { unitsLimit, capId });
  }
  return answer(200, view(key, world.nowMs));
}

export function revokeKey(world: World, asked: Asked): Answer {
  const { person, account, key } = asMemberWithKey(world, asked);
  count(world, person, 'CHANGES');
  revoke(world, account, key, actorOf(person));
  return answer(200, view(key, world.nowMs));
}

export function revoke(world: World, account: Account, key: Key, actor: string): void {
  if (key.revokedAtMs !== undefined) return;
  key.revokedAtMs = world.nowMs;
  const { projectId, keyId } = key;
  const before = { status: 'active', revokedAt: null };
  const after = { status: 'revoked', revokedAt: iso(world.nowMs) };
  recordChange(world, account, actor, 'key.revoke', { projectId, keyId, before, after });
}

export function rotateKey(world: World, asked: Asked, seen: Answer): Answer {
  const { person, account, key } = asMemberWithKey(world, asked);
  const { keyId, projectId } = key;
  const actor = actorOf(person);
  count(world, person, 'CHANGES');
  const { graceHours = 24, ends } = asked;
  const { id, remember } = madeBefore(world, person, asked, { graceHours, ends }, 'rotation', keyId);
  if (id !== undefined) return reissue(world, account, actor, id, seen);
  if (!isActive(key, world.nowMs)) throw new Refused('KEY_NOT_ACTIVE');
  const predecessor = world.keys.find((one) => one.keyId === key.replaces && !isOver(one, world.nowMs));
  if (predecessor && predecessor.keyId !== ends) throw new Refused('LIMIT_REACHED', { ends: predecessor.keyId });
  if (ends !== undefined && ends !== key.replaces) throw new Refused('INVALID_REQUEST');
  const made = addKey(world, account, actor, { ...key, replaces: keyId }, seen);
  if (predecessor) {
    const was = isoOrNull(predecessor.expiresAtMs);
    predecessor.expiresAtMs = world.nowMs;
    const expiry = { before: { expiresAt: was }, after: { expiresAt: iso(world.nowMs) } };
    recordChange(world, account, actor, 'key.expire', { projectId, keyId: predecessor.keyId, ...expiry });
  }
  const { expiresAtMs: before } = key;
  const after = Math.min(before ?? Infinity, world.nowMs + graceHours * HOUR_MS);
  Object.assign(key, { expiresAtMs: after, replacedBy: made.keyId, replacedAtMs: world.nowMs });
  const [was, is] = before === after ? [{}, {}] : [{ expiresAt: isoOrNull(before) }, { expiresAt: iso(after) }];
  const change = { before: was, after: { ...is, replacedBy: made.keyId } };
  recordChange(world, account, actor, 'key.rotate', { projectId, keyId, ...change });
  remember(made.keyId);
  return answer(201, made);
}

/** The events of a project in one page. Events of one moment have no order. */
export function readEvents(world: World, asked: Asked): Answer {
  // It counts as a read even if the project does not exist.
  const { person } = asMember(world, asked);
  count(world, person, 'READS');
  const { project } = asMemberOf(world, asked);
  return answer(200, {
    events: shown(world, project)
      .map(({ requestId }) => requestId)
      .sort(),
    cursor: null,
  });
}
