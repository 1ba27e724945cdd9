/**
 * Who may call an operation: anyone; a person who is signed in; the person of the session; an active member of the
 * account that contains the request which is looked for (`finder`: the path names no account); the person whom the
 * account has invited; an active member of the account, in any role (`viewer`) or in one that may change things
 * (`member`); an owner; an owner, and each member for themself.
 */
type Who = 'anyone' | 'person' | 'holder' | 'finder' | 'invited' | 'viewer' | 'member' | 'owner' | 'owner or self';

interface Row {
  readonly who: Who;
  /** The body of a change, with every member that exists. */
  readonly body?: object;
  /** Members that are valid only in a certain state. Other tests send them. */
  readonly notSent?: readonly string[];
  /** Whether it changes nothing although it has a body. */
  readonly isRead?: true;
}

/**
 * Every operation of the portal's contract. A suspension by the platform team has no column: it refuses requests at the
 * gateway and nothing in the portal.
 */
export const WHO_MAY: Readonly<Record<string, Row>> = {
  startSignIn: { who: 'anyone' },
  finishSignIn: { who: 'anyone' },
  signOut: { who: 'person', body: { everywhere: false } },
  getSession: { who: 'person' },
  listSessions: { who: 'person' },
  endSession: { who: 'holder' },
  deleteProfile: { who: 'person' },

  createAccount: { who: 'person', body: { name: 'New' } },
  updateAccount: { who: 'owner', body: { name: 'New' } },
  closeAccount: { who: 'owner' },
  listInvitations: { who: 'person' },
  getInvitation: { who: 'invited' },
  acceptInvitation: { who: 'invited' },
  declineInvitation: { who: 'invited' },
  getOwnerMails: { who: 'viewer' },
  getThresholds: { who: 'viewer' },
  updateThresholds: { who: 'owner', body: { percents: [50], days: [3] } },
  updateOwnerMails: { who: 'owner', body: { quota: false, keys: false, team: false } },
  askToStopMails: { who: 'anyone' },
  stopMails: { who: 'anyone' },
  resumeMails: { who: 'anyone' },
  // What is no key changes nothing.
  reportLeakedKeys: { who: 'anyone', body: { keys: ['no key'] }, isRead: true },
  listAudit: { who: 'owner' },
  exportAudit: { who: 'owner' },

  listMembers: { who: 'viewer' },
  inviteMember: { who: 'owner', body: { email: 'new@example.com', role: 'owner' } },
  updateMember: { who: 'owner', body: { role: 'owner' } },
  removeMember: { who: 'owner or self' },

  listEndpoints: { who: 'owner' },
  createEndpoint: { who: 'owner', body: { url: 'https://example.com/new', kinds: ['key.expiring'] } },
  updateEndpoint: { who: 'owner', body: { url: 'https://example.com/', kinds: ['key.expiring'], status: 'disabled' } },
  deleteEndpoint: { who: 'owner' },
  rotateEndpointSecret: { who: 'owner' },
  testEndpoint: { who: 'owner', body: { type: 'key.expiring' } },
  listDeliveries: { who: 'owner' },
  repeatDelivery: { who: 'owner' },

  listTokens: { who: 'owner' },
  createToken: { who: 'owner', body: { name: 'New', scopes: ['keys:read'], expiresInDays: 1 }, notSent: ['projectId'] },
  revokeToken: { who: 'owner' },

  getAttention: { who: 'viewer' },
  listProjects: { who: 'viewer' },
  createProject: { who: 'member', body: { name: 'New' } },
  getProject: { who: 'viewer' },
  updateProject: { who: 'member', body: { name: 'New' } },
  closeProject: { who: 'owner' },

  listKeys: { who: 'viewer' },
  createKey: {
    who: 'member',
    body: { name: 'New', expiresInDays: 30, unitsLimit: 5, unitsPeriod: 'week' },
    notSent: ['expiresInHours', 'capOf'],
  },
  getKey: { who: 'viewer' },
  updateKey: {
    who: 'member',
    body: { name: 'New', unitsLimit: 5, unitsPeriod: 'once', paused: true, expiresAt: null },
  },
  revokeKey: { who: 'member' },
  rotateKey: { who: 'member', body: { graceHours: 0 }, notSent: ['ends'] },

  getUsage: { who: 'viewer' },
  checkLedger: { who: 'viewer' },
  getStatement: { who: 'viewer' },
  listEvents: { who: 'viewer' },
  exportEvents: { who: 'viewer' },
  getEvent: { who: 'viewer' },
  findRequest: { who: 'finder' },
  lookUpCharge: { who: 'viewer', body: { idempotencyKey: 'order-7', operation: 'sandbox.ping' }, isRead: true },
};

export type Role = 'owner' | 'member' | 'viewer' | 'invited';

/** Somebody who calls the portal. */
export interface Caller {
  readonly name: string;
  readonly cookies: readonly string[];
  readonly email?: string;
  /** Their role in accounts, by account id; undefined if they are not signed in. */
  readonly membershipState?: Readonly<Record<string, Role>>;
  /** Their member ids, by account. */
  readonly memberIds?: Readonly<Record<string, string>>;
}

/** The id of a thing. */
export interface Id {
  readonly text: string;
  /**
   * The things that contain it, by the names of the contract's parameters; undefined if it does not exist or no longer
   * exists.
   */
  readonly within?: Readonly<Record<string, string>>;
  /** The person of a session. */
  readonly holder?: string;
}
/** Ids for the parameters of a path. */
export type Ids = Readonly<Record<string, Id>>;

/** The answer to a caller, in the order of the refusals; `done` means that the call succeeds. */
export type Verdict = 'done' | 'NOT_SIGNED_IN' | 'NOT_FOUND' | 'OWNER_ONLY' | 'MEMBER_ONLY';

/** The answer that the table gives for a caller and these ids. */
export function verdictOf(operationId: string, { name, membershipState, memberIds }: Caller, ids: Ids): Verdict {
  const who = WHO_MAY[operationId]?.who;
  if (who === 'anyone') return 'done';
  if (!membershipState) return 'NOT_SIGNED_IN';
  if (who === 'person') return 'done';
  if (who === 'holder') return ids.sessionId?.holder === name ? 'done' : 'NOT_FOUND';
  if (who === 'finder') {
    const within = membershipState[ids.requestId?.within?.accountId ?? ''];
    return within === undefined || within === 'invited' ? 'NOT_FOUND' : 'done';
  }
  const accountId = ids.accountId?.text ?? '';
  const role = membershipState[accountId];
  if (role === undefined || !isThere(ids)) return 'NOT_FOUND';
  // An accepted invitation can be accepted again.
  if (who === 'invited') return role === 'invited' || operationId === 'acceptInvitation' ? 'done' : 'NOT_FOUND';
  if (role === 'invited') return 'NOT_FOUND';
  if (role === 'owner' || who === 'viewer') return 'done';
  if (who === 'member') return role === 'member' ? 'done' : 'MEMBER_ONLY';
  return who === 'owner or self' && ids.memberId?.text === memberIds?.[accountId] ? 'done' : 'OWNER_ONLY';
}

/** Whether everything in a path exists, each thing inside the one before it. */
const isThere = (ids: Ids): boolean =>
  Object.values(ids).every(
    ({ within }) => within && Object.entries(within).every(([name, text]) => ids[name]?.text === text),
  );
