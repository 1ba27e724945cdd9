import type { AuditAction, AuditEvent, AuditValues } from '../api/people-queries.ts';

/** What a sentence names, in braces. */
export type Named = 'key' | 'project' | 'member' | 'role' | 'endpoint' | 'token';

/** What somebody did, after their name. */
const DID: Readonly<Record<AuditAction, string>> = {
  'account.create': 'created the account',
  'account.update': 'changed the account',
  'account.close': 'closed the account',
  'project.create': 'created the project {project}',
  'project.update': 'changed the project {project}',
  'project.suspend': 'suspended the project {project}',
  'project.resume': 'resumed the project {project}',
  'project.close': 'closed the project {project}',
  'key.create': 'created {key} in {project}',
  'key.reissue': 'was shown {key} in {project} again',
  'key.update': 'changed {key} in {project}',
  'key.expire': 'changed the end of {key} in {project}',
  'key.rotate': 'rotated {key} in {project}',
  'key.revoke': 'revoked {key} in {project}',
  'key.report': 'found {key} of {project} in public',
  'member.add': 'invited {member} as {role}',
  'member.join': 'accepted the invitation',
  'member.decline': 'declined the invitation',
  'member.update': 'changed the role of {member}',
  'member.remove': 'removed {member}',
  'member.leave': 'left the account',
  'member.withdraw': 'withdrew the invitation of {member}',
  'member.sign-out': 'signed {member} out everywhere',
  'member.resend': 'sent the invitation of {member} again',
  'endpoint.create': 'added the webhook {endpoint}',
  'endpoint.update': 'changed the webhook {endpoint}',
  'endpoint.rotate': 'made a new secret of the webhook {endpoint}',
  'endpoint.delete': 'deleted the webhook {endpoint}',
  'endpoint.disable': 'switched off the webhook {endpoint}',
  'endpoint.test': 'sent a test to the webhook {endpoint}',
  'endpoint.repeat': 'sent a delivery to the webhook {endpoint} once more',
  'token.create': 'created the token {token}',
  'token.reissue': 'was shown the token {token} again, with a new secret',
  'token.revoke': 'revoked the token {token}',
  'ledger.repair': 'repaired the count of usage of {project}',
};

/** A change of these attributes alone has a verb of its own. */
const DID_ALONE: Readonly<Record<string, string>> = {
  'account.update name': 'renamed the account',
  'project.update name': 'renamed the project {project}',
  'key.update name': 'renamed {key} in {project}',
  'key.update unitsLimit': 'changed the cap of {key} in {project}',
  'key.update unitsPeriod': 'changed the cap of {key} in {project}',
  'key.update unitsLimit unitsPeriod': 'changed the cap of {key} in {project}',
};

const DID_PAUSED = (isPaused: boolean): string => `${isPaused ? 'paused' : 'resumed'} {key} in {project}`;

/** A stage may only tell the owners of such a key. */
const DID_END_FOUND = 'ended {key} of {project}, found in public';

/** What the sentence says already, or what says nothing. The details have it. */
const UNSAID = new Set([
  ...['mode', 'status', 'scopes', 'secretVersion', 'replacedBy', 'revokedAt', 'leakedAt', 'sessionsSince'],
  ...['deliveryId', 'type', 'kinds', 'paused', 'projectId', 'url', 'foundAt'],
]);
/** What is said of something new, where it is not absent. */
const SAID_OF_NEW = new Set(['expiresAt', 'unitsLimit', 'capOf', 'quotaLimit']);

type Value = NonNullable<AuditValues>[string] | undefined;
/** Replaces both values of an attribute that may name a person. */
export const NOT_TOLD = 'changed';

/** The names of the attributes that a change changed. */
export function changedBy({ before, after }: Pick<AuditEvent, 'before' | 'after'>): string[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.filter((name) => !isSame(before?.[name], after?.[name]) || before?.[name] === NOT_TOLD);
}

/** What was done: text and the things that it names, and the attributes that are told after it. */
export interface Sentence {
  readonly parts: readonly (string | { readonly named: Named })[];
  readonly told: readonly string[];
  /** The sentence says of which attribute the values are. */
  readonly isAlone: boolean;
}

export function sentenceOf(event: AuditEvent): Sentence {
  const { action, before, after } = event;
  const changed = changedBy(event);
  const [only] = changed.length === 1 ? changed : [];
  const alone = DID_ALONE[[action, ...changed.toSorted()].join(' ')];
  const isEndFound = action === 'key.report' && after?.status === 'revoked';
  const did =
    (only === 'paused' && DID_PAUSED(after?.paused === true)) ||
    (isEndFound && DID_END_FOUND) ||
    (alone ?? DID[action]);
  const parts = did
    .split(/(\{\w+\})/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{') ? { named: part.slice(1, -1) as Named } : part));
  const isTold = (name: string): boolean =>
    before === null ? SAID_OF_NEW.has(name) && after?.[name] !== null : after !== null && !UNSAID.has(name);
  // The cap of a key that shares a budget is that of the budget.
  const said = after?.capOf ? changed.filter((name) => name !== 'unitsLimit') : changed;
  const isAlone = alone !== undefined || action === 'member.update' || action === 'key.expire';
  return { parts, told: said.filter(isTold), isAlone };
}

const isSame = (one: Value, other: Value): boolean => JSON.stringify(one) === JSON.stringify(other);
