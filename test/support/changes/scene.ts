import { testEndpoint } from '../../../functions/accounts/endpoints/deliveries.ts';
import { createEndpoint } from '../../../functions/accounts/endpoints/endpoints.ts';
import type { EndpointDetails } from '../../../functions/accounts/endpoints/stored-endpoints.ts';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createKey } from '../../../functions/accounts/keys/api-keys.ts';
import type { KeyDetails } from '../../../functions/accounts/keys/new-keys.ts';
import { asPerson } from '../../../functions/accounts/authority/authority.ts';
import { findOrMakePerson } from '../../../functions/accounts/people/identities.ts';
import { acceptInvitation } from '../../../functions/accounts/team/invitation-answers.ts';
import { accountItemKey, invitationPartition } from '../../../functions/accounts/store/account-items.ts';
import { inviteMember } from '../../../functions/accounts/team/invitations.ts';
import { DEFAULT_LIMITS } from '../../../functions/accounts/store/limits.ts';
import { rotateKey } from '../../../functions/accounts/keys/key-rotation.ts';
import { createOwnAccount } from '../../../functions/accounts/team/own-accounts.ts';
import { createProject } from '../../../functions/accounts/projects/projects.ts';
import { newSession } from '../../../functions/accounts/people/sessions.ts';
import { createToken } from '../../../functions/accounts/tokens/tokens.ts';
import { hashToken } from '../../../functions/shared/credentials/management-token.ts';
import { hashApiKey } from '../../../functions/shared/credentials/api-key.ts';
import type { MemberRole } from '../../../functions/shared/choices.ts';
import { putItem } from '../database.ts';
import type { TestPortal } from '../portal.ts';
import type { Stranger } from './provider.ts';
import { testClock } from '../reports.ts';
import { DAY_MS } from '../times.ts';

/** A person who has signed in. */
export interface Somebody extends Stranger {
  readonly userId: string;
  /** The cookie of the person's session. */
  readonly cookie: string;
}

const identityHashOf = (subject: string): string => createHash('sha256').update(`tests\n${subject}`).digest('hex');
const SESSION = { limits: { idleMs: 7_200_000, absoluteMs: 43_200_000 }, device: { browser: 'Firefox on Linux' } };

/** Separate people and things for one test, with the partitions that store them. */
export function scene({ store, clock }: Pick<TestPortal, 'store' | 'clock'>) {
  const partitions = new Set<string>();
  const own = { ...store, actor: () => Promise.resolve('operator') };
  const handsOf = ({ userId, subject }: Somebody) =>
    asPerson(own, { userId, identityHash: identityHashOf(subject), limits: DEFAULT_LIMITS });

  const stranger = (): Stranger => {
    const [subject, email] = [randomUUID(), `${randomUUID()}@example.com`];
    partitions.add(invitationPartition(email));
    partitions.add(`IDENTITY#${identityHashOf(subject)}`);
    return { subject, profile: { email, emailVerified: true, name: 'Ada Lovelace' } };
  };
  const somebody = async (): Promise<Somebody> => {
    const { subject, profile } = stranger();
    const userId = await findOrMakePerson(own, { issuer: 'tests', subject, ...profile });
    partitions.add(accountItemKey.user(userId).pk);
    return { userId, subject, profile, cookie: await session(userId) };
  };
  const session = async (userId: string): Promise<string> => {
    const { token, item } = newSession({ userId }, SESSION.device, clock.now(), SESSION.limits, {
      randomBytes,
      secrets: await store.keyTagSecrets(),
    });
    await putItem(store, item);
    return `__Host-Http-session=${token}`;
  };
  const account = async (person: Somebody): Promise<string> => {
    const accountId = await createOwnAccount(handsOf(person), { name: 'Team', person: person.profile });
    partitions.add(`ACCOUNT#${accountId}`);
    partitions.add(`NOTICES#${accountId}`);
    return accountId;
  };
  const project = async (accountId: string): Promise<string> => {
    const projectId = await createProject(own, { accountId, name: 'Trips', quotaLimit: 1_000 });
    partitions.add(accountItemKey.activeKeys(projectId).pk);
    return projectId;
  };
  /** A key that was created some time ago, with this lifetime or without an end. */
  const key = async (projectId: string, agoMs = 0, lifetimeMs?: number, cap: Partial<KeyDetails> = {}) => {
    const earlier = { ...own, clock: testClock(clock.nowMs - agoMs) };
    const details = { projectId, mode: 'test', scopes: new Set(['sandbox:invoke']), rpm: 60, name: 'CI' } as const;
    const made = await createKey(earlier, { ...details, ...cap, lifetimeMs });
    partitions.add(`KEY#${hashApiKey(made.key)}`);
    return made;
  };
  /** A key with units that count once, and another that shares them. */
  const sharing = async (projectId: string) => {
    const { keyId: firstId } = await key(projectId, 0, undefined, { unitsLimit: 5, unitsPeriod: 'once' });
    return { firstId, keyId: (await key(projectId, 0, undefined, { capOf: firstId })).keyId };
  };
  /** Rotates a key with a day of grace. */
  const rotation = async (projectId: string, keyId: string) => {
    const made = await rotateKey(own, projectId, keyId, DAY_MS);
    partitions.add(`KEY#${hashApiKey(made.key)}`);
    return made;
  };
  const endpoint = async (accountId: string, details: EndpointDetails): Promise<string> =>
    (await createEndpoint(own, accountId, details)).endpointId;
  const token = async (accountId: string): Promise<string> => {
    const details = { name: 'CI', scopes: ['keys:read'] as const, lifetimeMs: DAY_MS };
    const made = await createToken(own, accountId, details);
    partitions.add(accountItemKey.token(hashToken(made.token)).pk);
    return made.tokenId;
  };
  const delivery = (accountId: string, endpointId: string) => testEndpoint(own, accountId, endpointId);
  const invite = (accountId: string, { profile }: Somebody, role: MemberRole = 'member') =>
    inviteMember(own, accountId, { email: profile.email, role });
  const join = async (accountId: string, person: Somebody, role: MemberRole = 'member'): Promise<string> => {
    const memberId = await invite(accountId, person, role);
    await acceptInvitation(handsOf(person), accountId, person.profile);
    return memberId;
  };
  return {
    partitions,
    stranger,
    somebody,
    session,
    account,
    project,
    key,
    sharing,
    rotation,
    endpoint,
    token,
    delivery,
    invite,
    join,
  };
}
export type Scene = ReturnType<typeof scene>;
