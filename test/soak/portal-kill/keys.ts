import assert from 'node:assert/strict';
import type { Outcome, Visitor } from './asking.ts';
import { pick, type Act, type Changes, type Team } from './changes.ts';
import type { Event } from './claims.ts';

/** A key that was shown to a person. */
export interface ShownKey {
  readonly keyId: string;
  /** The whole key. */
  readonly key: string;
  readonly path: string;
  readonly maker: Visitor;
  /** Whether its creator has neither revoked nor replaced it. Nobody else does. */
  isActive: boolean;
  /** The key that it replaced, if that key has a grace of hours. */
  readonly predecessor: string | undefined;
}

/** Actions with keys, and the keys that were shown. */
export function keyActs({ done, change, newName }: Changes) {
  const keys: ShownKey[] = [];
  /** Records the answer to a creation. Each repeat may have made another secret. */
  const shown = (
    who: Visitor,
    outcome: Outcome,
    accountId: string,
    path: string,
    { rotated = [], predecessor }: { rotated?: readonly Event[]; predecessor?: string | undefined } = {},
  ) => {
    const { keyId, key } = outcome.body;
    const created = { action: 'key.create', accountId, about: keyId };
    if (!done(who, outcome, [created, ...rotated], [{ ...created, action: 'key.reissue' }])) return;
    assert.ok(keyId !== undefined && key !== undefined);
    keys.push({ keyId, key, path: `${path}/${keyId}`, maker: who, isActive: true, predecessor });
  };
  const ownKey = ({ accountId }: Team, who: Visitor, chance: number): ShownKey | undefined => {
    const own = keys.filter(({ maker, isActive, path }) => maker === who && isActive && path.includes(accountId));
    return pick(own, chance);
  };
  const createKey: Act = async ({ accountId, projects }, who, chance) => {
    const open = projects.filter(({ isClosed }) => !isClosed);
    const project = pick(open, chance);
    if (!project) return;
    const path = `/api/accounts/${accountId}/projects/${project.projectId}/keys`;
    shown(who, await who.ask('POST', path, { name: newName() }), accountId, path);
  };
  const rotateKey: Act = async (team, who, chance) => {
    const old = ownKey(team, who, chance);
    if (!old) return;
    const { accountId } = team;
    const graceHours = Math.floor(chance * 3);
    const { keyId, path, predecessor: ends } = old;
    const outcome = await who.ask('POST', `${path}/rotate`, { graceHours, ends });
    const rotated = [
      { action: 'key.rotate', accountId, about: keyId },
      ...(ends === undefined ? [] : [{ action: 'key.expire', accountId, about: ends }]),
    ];
    const predecessor = graceHours === 0 ? undefined : keyId;
    shown(who, outcome, accountId, path.slice(0, path.lastIndexOf('/')), { rotated, predecessor });
    if (outcome.code === undefined || outcome.lost > 0) old.isActive = false;
  };
  const revokeKey: Act = async (team, who, chance) => {
    const old = ownKey(team, who, chance);
    if (!old) return;
    const event = { action: 'key.revoke', accountId: team.accountId, about: old.keyId };
    const { code } = await change(who, ['POST', `${old.path}/revoke`], event);
    if (code === undefined) old.isActive = false;
  };
  const renameKey: Act = async (team, who, chance) => {
    const key = ownKey(team, who, chance);
    if (!key) return;
    const name = newName();
    const event = { action: 'key.update', accountId: team.accountId, about: key.keyId, name };
    await change(who, ['PATCH', key.path, { name }], event);
  };
  return { keys, createKey, rotateKey, revokeKey, renameKey };
}
