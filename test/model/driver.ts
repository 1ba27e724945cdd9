import { deepStrictEqual } from 'node:assert/strict';
import { SANDBOX_SCOPE } from '../../functions/shared/credentials/credential-text.ts';
import { createAccount } from '../../functions/accounts/team/accounts.ts';
import { createKey, expireKey, revokeKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import { RefusedError } from '../../functions/accounts/store/refusals.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { readKey } from '../../functions/accounts/keys/stored-keys.ts';
import {
  createProject,
  resumeProject,
  suspendProject,
  updateProject,
} from '../../functions/accounts/projects/projects.ts';
import { forgedKey, unknownKey } from '../support/keys.ts';
import { commonHeaders } from '../support/common-headers.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';
import { testClock } from '../support/reports.ts';
import { DAY_MS, NOW_MS } from '../support/times.ts';
import { INSTANCE_SKEWS_MS, type Command, type Sequence } from './commands.ts';
import { addKey, change, GRACE_MS, grace, isShared, pick, sharing, type Change } from './operator.ts';
import { ping, type Outcome } from './ping.ts';
import { inputOf, OPERATIONS, type Credential } from './requests.ts';
import { deepEqualTables } from './tables.ts';
import { capOf, type Key, type Project, type World } from './world.ts';
import { storeCap, storeLimit } from '../support/caps.ts';

const INITIAL_QUOTA_UNITS = 3;
const INITIAL_RPM = 3;
const GOLDEN_RATIO = (1 + Math.sqrt(5)) / 2;

type Instances = readonly TestGateway[];

/**
 * Runs one sequence at a time against the model and the real chain. Throws at the first difference. Counts the
 * answers by their kind.
 */
export function modelRunner(answers = new Map<string, number>()) {
  let draws = 0;
  /** Random numbers that are the same in every run of a sequence. */
  const random = () => (draws++ * GOLDEN_RATIO) % 1;
  const instances = {
    month: INSTANCE_SKEWS_MS.map(() => testGateway({ quotaPeriod: 'month', random })),
    day: INSTANCE_SKEWS_MS.map(() => testGateway({ quotaPeriod: 'day', random })),
  };
  const clock = testClock();
  const store: AccountStore = { ...pick(instances.month, 0).store, clock };
  const run = async ({ quotaPeriod, commands }: Sequence): Promise<void> => {
    draws = 0;
    clock.nowMs = NOW_MS;
    const world = await newWorld(store, quotaPeriod);
    for (const command of commands) {
      const outcome = await step(world, store, instances[quotaPeriod], command);
      if (outcome) answers.set(outcome, (answers.get(outcome) ?? 0) + 1);
      clock.nowMs = world.nowMs;
    }
    await deepEqualTables(store, world);
  };
  const close = (): void => {
    for (const { client, operatorClient } of [...instances.month, ...instances.day]) {
      client.destroy();
      operatorClient.destroy();
    }
  };
  return { run, close };
}

async function newWorld(store: AccountStore, quotaPeriod: World['quotaPeriod']): Promise<World> {
  const nowMs = store.clock.now();
  const world: World = { nowMs, endsAtMs: nowMs + 89 * DAY_MS, quotaPeriod, projects: [], keys: [] };
  const accountId = await createAccount(store, { name: 'Model', email: 'model@example.com' });
  for (const quotaLimit of [INITIAL_QUOTA_UNITS, undefined]) {
    const projectId = await createProject(store, { accountId, name: 'Model', quotaLimit });
    const project: Project = {
      projectId,
      suspended: false,
      quotaLimit,
      used: new Map(),
      caps: new Map(),
      replays: new Map(),
      events: [],
    };
    world.projects.push(project);
    const details = { mode: 'test', rpm: INITIAL_RPM } as const;
    const made = await createKey(store, { projectId, ...details, scopes: new Set([SANDBOX_SCOPE]) });
    const none = { unitsLimit: undefined, capId: undefined, lifetimeMs: undefined };
    addKey(world, { ...made, ...details, ...none, project, scoped: true });
  }
  return world;
}

/** Runs one command in both, and returns the kind of a ping's answer. */
async function step(
  world: World,
  store: AccountStore,
  instances: Instances,
  command: Command,
): Promise<string | undefined> {
  switch (command.do) {
    case 'wait':
      world.nowMs = Math.min(world.nowMs + command.ms, world.endsAtMs);
      return;
    case 'waitUntil': {
      const next = beginningOfNext(command.next, world.nowMs) + command.offsetMs;
      world.nowMs = Math.min(Math.max(world.nowMs, next), world.endsAtMs);
      return;
    }
    case 'ping':
      return pingBoth(world, instances, command);
    default: {
      const made = await operate(store, world, command);
      deepStrictEqual(made !== 'refused', change(world, command, made === 'refused' ? NOTHING_MADE : made));
    }
  }
}

async function pingBoth(world: World, instances: Instances, command: Command & { do: 'ping' }): Promise<string> {
  const gateway = pick(instances, command.at);
  gateway.clock.nowMs = world.nowMs + pick(INSTANCE_SKEWS_MS, command.at);
  for (const reports of [gateway.telemetry.requests, gateway.telemetry.metrics]) reports.length = 0;

  const { as, operation, input, idempotencyKey } = command;
  const key = pick(world.keys, command.key);
  const { body, headers } = inputOf(input);
  const response = await gateway.send({
    path: OPERATIONS[operation].path,
    body,
    headers: {
      authorization: authorization(as, key),
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey ?? undefined,
      ...headers,
    },
  });
  const requestId = response.headers['x-service-request-id'] ?? '';
  const asked = { nowMs: gateway.clock.nowMs, as, operation, key, input, idempotencyKey };
  const expected = ping(world, asked, { requestId, detail: response.body.detail as string | undefined });

  const { ok, code = null, message } = response.body;
  const [log] = gateway.telemetry.requests;
  const seen: Outcome = {
    status: response.status,
    code: code as string | null,
    headers: response.headers,
    log: { event: log?.event ?? null, units: log?.units ?? 0 },
    metrics: gateway.telemetry.metrics,
  };
  deepStrictEqual(seen, { ...expected, headers: { ...commonHeaders(requestId), ...expected.headers } });
  deepStrictEqual([ok, response.body.requestId], [expected.code === null, requestId]);
  if (expected.code === null) deepStrictEqual(message, 'Sandbox gateway is ready.');
  return expected.code ?? expected.log.event ?? '';
}

function authorization(as: Credential, { key, mode, project }: Key): string | undefined {
  switch (as) {
    case 'key':
      return `Bearer ${key}`;
    case 'missing':
      return undefined;
    case 'malformed':
      return `Bearer ${key.slice(0, -1)}-`;
    case 'forged':
      return `Bearer ${forgedKey(project.projectId, mode)}`;
    case 'unknown':
      return `Bearer ${unknownKey(project.projectId, mode)}`;
  }
}

const NOTHING_MADE = { keyId: '', key: '' };

/** Runs a command for real. Returns what it made, for the model. */
async function operate(store: AccountStore, world: World, command: Change): Promise<typeof NOTHING_MADE | 'refused'> {
  try {
    const made = await operation(store, world, command);
    return command.do === 'createKey' || command.do === 'rotate' ? (made as typeof NOTHING_MADE) : NOTHING_MADE;
  } catch (error) {
    if (error instanceof RefusedError) return 'refused';
    throw error;
  }
}

async function operation(store: AccountStore, world: World, command: Change): Promise<unknown> {
  const project = 'project' in command ? pick(world.projects, command.project) : pick(world.keys, command.key).project;
  const { projectId } = project;
  const keyId = 'key' in command ? pick(world.keys, command.key).keyId : '';
  switch (command.do) {
    case 'createKey': {
      const { mode, scoped, rpm, lifetimeMs, cap, per } = command;
      const scopes = new Set([scoped ? SANDBOX_SCOPE : 'sandbox:read']);
      const limits = { rpm, unitsLimit: cap ?? undefined };
      const made = await createKey(store, { projectId, mode, scopes, ...limits, lifetimeMs: lifetimeMs ?? undefined });
      if (cap !== null && per !== null) await storeCap(store, made.key, cap, capOf(world, made.keyId, per));
      return made;
    }
    case 'rotate': {
      const { replaces } = await readKey(store, projectId, keyId);
      return rotateKey(store, projectId, keyId, GRACE_MS, undefined, replaces);
    }
    case 'revoke':
      return revokeKey(store, projectId, keyId);
    case 'pause':
    case 'unpause':
      return updateKey(store, projectId, keyId, { paused: command.do === 'pause' });
    case 'expire':
      return expireKey(store, projectId, keyId, { inMs: command.inMs });
    case 'setRpm':
      return updateKey(store, projectId, keyId, { rpm: command.rpm });
    case 'setCap': {
      const key = pick(world.keys, command.key);
      const { cap, per } = command;
      if (isShared(world, key)) {
        if (cap === 'none') throw new RefusedError('A budget has a limit.');
        return storeLimit(store, projectId, key.capId ?? '', cap);
      }
      await updateKey(store, projectId, keyId, { unitsLimit: cap });
      if (cap === 'none' || per === null || key.replacedBy !== undefined) return;
      const capId = capOf(world, key.capId ?? keyId, per);
      for (const each of grace(world, key)) await storeCap(store, each.key, cap, capId);
      return;
    }
    case 'share': {
      const { key, of, canShare } = sharing(world, command);
      if (!canShare) return;
      const limit = of.project.caps.get(`once ${of.capId}`)?.limit ?? of.unitsLimit ?? 0;
      await storeLimit(store, projectId, of.capId ?? '', limit);
      return storeCap(store, key.key, limit, of.capId ?? '');
    }
    case 'suspend':
      return suspendProject(store, projectId);
    case 'resume':
      return resumeProject(store, projectId);
    case 'setQuota':
      return updateProject(store, projectId, { quota: command.limit });
    case 'setShards':
      return updateProject(store, projectId, { shards: command.shards });
  }
}

function beginningOfNext(what: 'minute' | 'day' | 'month', nowMs: number): number {
  const next = new Date(nowMs);
  if (what === 'minute') next.setUTCMinutes(next.getUTCMinutes() + 1, 0, 0);
  else next.setUTCHours(0, 0, 0, 0);
  if (what === 'day') next.setUTCDate(next.getUTCDate() + 1);
  if (what === 'month') next.setUTCMonth(next.getUTCMonth() + 1, 1);
  return next.getTime();
}
