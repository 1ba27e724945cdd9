import * as v from 'valibot';
import { OwnAccount } from './accounts.ts';
import { formed, SessionId } from './ids.ts';
import { Invitation } from './invitations.ts';
import { Empty, type PortalOperation } from './operation.ts';
import { Count, MaybeText, Moment, NextCursor } from './values.ts';

/** The end of this session, or of all sessions of the person, in every browser. */
const SignOut = v.object({ everywhere: v.optional(v.boolean('everywhere is true or false.'), false) });

const Session = v.strictObject({
  user: v.strictObject({
    userId: formed(/^usr_[0-9A-Za-z]{16}$/),
    email: MaybeText,
    name: MaybeText,
    /** Without a verified address there are no invitations. One that is written in another way than shown is not. */
    emailVerified: v.boolean(),
  }),
  accounts: v.array(OwnAccount),
  /** The newest ones that are alive, to the verified address. */
  invitations: v.array(Invitation),
  /** For the others. */
  invitationsCursor: NextCursor,
  /** Origin of the gateway. */
  gatewayUrl: formed(/^https?:\/\/[^/]+$/),
  stage: v.string(),
  limits: v.strictObject({
    accountsPerPerson: Count,
    projectsPerAccount: Count,
    projectsPerPeriod: Count,
    activeKeysPerProject: Count,
    membersPerAccount: Count,
    invitationsPerAddress: Count,
    changesPerMinute: Count,
    readsPerMinute: Count,
    signInsPerMinute: Count,
  }),
  hasMail: v.boolean(),
  /** Whom to ask for more, `https:` or `mailto:`; null: nobody is named. */
  supportUrl: MaybeText,
  /** The prefixes of the stage's keys, that of new ones first. */
  keyPrefixes: v.array(v.string()),
  /** The client libraries in the registries; null: the portal serves that one itself. */
  clientPackages: v.strictObject({ npm: MaybeText, pypi: MaybeText }),
});
export type Session = v.InferOutput<typeof Session>;

const OwnSession = v.strictObject({
  sessionId: SessionId,
  createdAt: Moment,
  /** Exact to ten minutes. */
  lastSeen: Moment,
  /** With or without activity it ends then. */
  expiresAt: Moment,
  /** Such as `Firefox on Linux`. */
  browser: v.string(),
  /** Whether it is the one that asks. */
  current: v.boolean(),
});
export type OwnSession = v.InferOutput<typeof OwnSession>;

/** The sign-in, which the address bar and the provider call, and what a person has of their own. */
export const sessionContract = {
  /**
   * To the provider, with a cookie for this one attempt; or back, with the reason. `returnTo` is a path of the portal
   * to come back to. Begun by a page of another origin it only leads there.
   */
  startSignIn: {
    route: 'GET /api/sign-in',
    by: 'anyone',
    from: 'navigation',
    answers: { 302: Empty, 303: Empty },
    setsCookie: 302,
  },
  /** A good answer of the provider begins a session. Any other one sets nothing and ends nothing. */
  finishSignIn: {
    route: 'GET /api/sign-in/callback',
    by: 'anyone',
    from: 'navigation',
    answers: { 303: Empty },
    setsCookie: 303,
  },
  /** The page goes on to `location`, where the provider ends its own session, or to a page of ours. */
  signOut: {
    route: 'POST /api/sign-out',
    by: 'person',
    isFree: true,
    body: SignOut,
    answers: { 200: v.strictObject({ location: v.string() }) },
    setsCookie: 200,
  },
  getSession: { route: 'GET /api/session', by: 'person', isFree: true, answers: { 200: Session } },
  /** Those that are alive, the one last seen first. Nobody else can see them, the platform team included. */
  listSessions: {
    route: 'GET /api/sessions',
    by: 'person',
    isFree: true,
    answers: { 200: v.strictObject({ sessions: v.array(OwnSession) }) },
  },
  endSession: {
    route: 'DELETE /api/sessions/{sessionId}',
    by: 'person',
    answers: { 204: Empty },
    setsCookie: 204,
  },
  /**
   * Leaves all accounts and deletes what is kept of the person, in one transaction. The audit keeps what they did,
   * under an id that leads to nobody. The use of their limits is kept for 90 days, under a keyed hash of the identity.
   */
  deleteProfile: {
    route: 'DELETE /api/profile',
    by: 'person',
    answers: { 204: Empty },
    setsCookie: 204,
    refuses: ['LAST_OWNER', 'LIMIT_REACHED', 'CHANGED_MEANWHILE'],
  },
} as const satisfies Record<string, PortalOperation>;
