/**
 * What the webhooks of the portal tell: ids and numbers, no name and no address. A test compares it with the portal.
 */

type Role = 'owner' | 'member' | 'viewer' | (string & Record<never, never>);

interface OfAccount {
  readonly accountId: string;
  /** An owner has sent a sample; nothing has happened. */
  readonly isSample?: true;
}
interface OfMember extends OfAccount {
  readonly memberId: string;
}
interface OfProject extends OfAccount {
  readonly projectId: string;
}
interface OfKey extends OfProject {
  readonly keyId: string;
}
interface OfEndpoint extends OfAccount {
  readonly endpointId: string;
}
/** So much of a limit is used. */
interface Reached {
  readonly thresholdPercent: number;
  /** Units that are used in this period. */
  readonly units: number;
  readonly unitsLimit: number;
  /** The month, or the day: `2026-11` or `2026-11-27`. */
  readonly period: string;
}

/** In so many days. */
interface Expiring {
  readonly expiresAt: string;
  readonly days: number;
}

/** `data` of a notice, by its type. */
export interface NoticeData {
  /** Somebody was invited. `isAgain`: the invitation was sent once more. */
  'invitation.created': OfMember & { readonly role: Role; readonly isAgain?: true };
  /** Somebody has become a member. */
  'invitation.accepted': OfMember;
  /** Somebody does not want to be a member. */
  'invitation.declined': OfMember;
  /** A member may do other things. */
  'member.role_changed': OfMember & { readonly before: Role; readonly after: Role };
  /** A member was removed, or has left. */
  'member.removed': OfMember & { readonly role: Role };
  /** The keys of a project are refused. */
  'project.suspended': OfProject;
  /** A project has another quota, in units of a period; null: none. */
  'project.limits_changed': OfProject & { readonly before: number | null; readonly after: number | null };
  /** So much of a project’s quota is used. */
  'quota.threshold_reached': OfProject & Reached;
  /** So much of a key’s own limit is used. */
  'key.cap_reached': OfKey & Reached;
  /** A key expires soon. */
  'key.expiring': OfKey & Expiring;
  /** A management token expires soon. */
  'token.expiring': OfAccount & { readonly tokenId: string } & Expiring;
  /** A key was found in public. `foundAt`: where, if its finder says so. `isRevoked`: false, it still works. */
  'key.leaked': OfKey & { readonly foundAt: string | null; readonly isRevoked: boolean };
  /** Another endpoint was switched off. */
  'endpoint.disabled': OfEndpoint;
  /** A test delivery. */
  'endpoint.test': OfEndpoint;
}

/** The body of a delivery. A later version of the portal may send types that are not here. */
export type Notice = {
  readonly [Type in keyof NoticeData]: {
    readonly type: Type;
    /** When it happened, ISO 8601. */
    readonly timestamp: string;
    readonly data: Readonly<NoticeData[Type]>;
  };
}[keyof NoticeData];
