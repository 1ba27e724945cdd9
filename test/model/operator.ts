import type { Command } from './commands.ts';
import { capCountOf, capOf, type Key, type World } from './world.ts';

/** The grace of a rotated key. */
export const GRACE_MS = 30_000;

/** A change by the platform team to something that exists. */
export type Change = Exclude<Command, { readonly do: 'ping' | 'wait' | 'waitUntil' }>;

/**
 * Applies a change to the model. Returns false if it must be refused and nothing changes. A key that the real gateway
 * made is given with its id.
 */
export function change(world: World, command: Change, made: { readonly keyId: string; readonly key: string }): boolean {
  switch (command.do) {
    case 'createKey': {
      const { mode, scoped, rpm, lifetimeMs, cap, per } = command;
      const project = pick(world.projects, command.project);
      const capId = cap === null ? undefined : capOf(world, made.keyId, per ?? world.quotaPeriod);
      const limits = { rpm, unitsLimit: cap ?? undefined, capId };
      addKey(world, { ...made, project, mode, scoped, ...limits, lifetimeMs: lifetimeMs ?? undefined });
      return true;
    }
    case 'rotate': {
      const key = pick(world.keys, command.key);
      if (isOver(key, world.nowMs) || key.replacedBy !== undefined || key.paused) return false;
      const { project, mode, scoped, rpm, lifetimeMs, unitsLimit, capId } = key;
      // It is named as the one that ends, since at most two keys of a chain work.
      const predecessor = world.keys.find(({ keyId }) => keyId === key.replaces);
      if (predecessor && !isOver(predecessor, world.nowMs)) predecessor.expiresAtMs = world.nowMs;
      key.expiresAtMs = Math.min(world.nowMs + GRACE_MS, key.expiresAtMs ?? Infinity);
      key.replacedBy = made.keyId;
      const limits = { rpm, unitsLimit, capId };
      addKey(world, { ...made, project, mode, scoped, ...limits, lifetimeMs, replaces: key.keyId });
      return true;
    }
    case 'revoke':
      pick(world.keys, command.key).revoked = true;
      return true;
    case 'pause':
    case 'unpause': {
      const key = pick(world.keys, command.key);
      const paused = command.do === 'pause';
      if (paused !== key.paused && isOver(key, world.nowMs)) return false;
      key.paused = paused;
      return true;
    }
    case 'expire': {
      const key = pick(world.keys, command.key);
      const expiresAtMs = world.nowMs + command.inMs;
      // The earlier end was promised to its holder, so that it stays.
      if (isOver(key, world.nowMs) || expiresAtMs > (key.expiresAtMs ?? Infinity)) return false;
      // A successor lives as long as was asked for last.
      if (key.expiresAtMs !== expiresAtMs) key.lifetimeMs = command.inMs;
      key.expiresAtMs = expiresAtMs;
      return true;
    }
    case 'setRpm':
      pick(world.keys, command.key).rpm = command.rpm;
      return true;
    case 'setCap': {
      const key = pick(world.keys, command.key);
      const unitsLimit = command.cap === 'none' ? undefined : command.cap;
      if (isShared(world, key)) {
        if (unitsLimit === undefined) return false;
        capCountOf(world, key, world.nowMs).limit = unitsLimit;
        return true;
      }
      if (unitsLimit !== key.unitsLimit) {
        // One cap for both keys of a grace, by the one that goes on.
        if (key.replacedBy !== undefined) return false;
        for (const each of grace(world, key)) {
          each.unitsLimit = unitsLimit;
          if (unitsLimit !== undefined) each.capId ??= key.capId ?? key.keyId;
        }
      }
      if (command.per !== null && hasOwnCap(key)) {
        const capId = capOf(world, key.capId, command.per);
        for (const each of grace(world, key)) each.capId = capId;
      }
      return true;
    }
    case 'share': {
      const { key, of, canShare } = sharing(world, command);
      if (!canShare) return true;
      const count = capCountOf(world, of, world.nowMs);
      count.limit ??= of.unitsLimit;
      key.unitsLimit = count.limit;
      key.capId = of.capId;
      return true;
    }
    case 'suspend':
    case 'resume':
      pick(world.projects, command.project).suspended = command.do === 'suspend';
      return true;
    case 'setQuota':
      pick(world.projects, command.project).quotaLimit = command.limit === 'none' ? undefined : command.limit;
      return true;
    case 'setShards':
      return true;
  }
}

/** Whether a key has a cap, and is not replaced. */
const hasOwnCap = (key: Key): key is Key & { capId: string } =>
  key.unitsLimit !== undefined && key.capId !== undefined && key.replacedBy === undefined;

/** Whether a key spends from a budget. */
export const isShared = (world: World, key: Key): boolean =>
  key.unitsLimit !== undefined &&
  key.capId?.endsWith('.o') === true &&
  key.project.caps.get(`once ${key.capId}`)?.limit !== undefined;

/** A key, and the one that it replaced while that works: both have one cap. */
export function grace(world: World, key: Key): Key[] {
  const predecessor = world.keys.find(({ keyId }) => keyId === key.replaces);
  return [key, ...(predecessor && !isOver(predecessor, world.nowMs) ? [predecessor] : [])];
}

/** The keys of a `share`, and whether there is a budget to share. */
export function sharing(world: World, { key: index, of: other }: { readonly key: number; readonly of: number }) {
  const [key, of] = [pick(world.keys, index), pick(world.keys, other)];
  const canShare =
    of.unitsLimit !== undefined &&
    of.capId?.endsWith('.o') === true &&
    of.project === key.project &&
    of.capId !== key.capId &&
    key.replacedBy === undefined &&
    key.replaces === undefined;
  return { key, of, canShare };
}

/** The thing of an index, modulo the number of things. */
export function pick<T>(things: readonly T[], index: number): T {
  const thing = things[index % things.length];
  if (thing === undefined) throw new Error('a world has a project and a key');
  return thing;
}

type NewKey = Omit<Key, 'expiresAtMs' | 'revoked' | 'paused' | 'replacedBy' | 'window'>;

export function addKey(world: World, key: NewKey): void {
  const expiresAtMs = key.lifetimeMs === undefined ? undefined : world.nowMs + key.lifetimeMs;
  world.keys.push({ ...key, expiresAtMs, revoked: false, paused: false, replacedBy: undefined, window: undefined });
}

const isOver = ({ revoked, expiresAtMs = Infinity }: Key, nowMs: number): boolean => revoked || nowMs >= expiresAtMs;
