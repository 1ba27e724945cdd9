import { localAddress, type DatabaseAddress } from '../../../local/settings.ts';

/** Credentials that sign the calls of tests. */
export interface Caller {
  /** Also the caller's name. It has only letters: the engines accept nothing else. */
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The session token of a role: every call must have it. */
  readonly sessionToken?: string;
}

const role = <Name extends string>(name: Name) => ({
  accessKeyId: name,
  secretAccessKey: `secret/of+${name}`,
  sessionToken: `session/of+${name}==`,
});

/**
 * The callers of AWS in tests: the functions and the platform team, each under a role; `local`, the platform team with
 * the credentials of everything local, such as `--local` of the CLI; and the tests themselves, which may do anything.
 */
export const CALLERS = {
  metered: role('metered'),
  portal: role('portal'),
  notices: role('notices'),
  operator: role('operator'),
  local: localAddress(0).credentials ?? role('local'),
  test: { accessKeyId: 'test', secretAccessKey: 'secret/of+test' },
} as const satisfies Record<string, Caller>;
export type CallerName = keyof typeof CALLERS;

/** The caller with an access key; undefined if there is none. */
export const callerOf = (accessKeyId: string): Caller | undefined =>
  Object.hasOwn(CALLERS, accessKeyId) ? CALLERS[accessKeyId as CallerName] : undefined;

/** The address of an engine, with the credentials of a caller. */
export const addressAs = (name: CallerName, endpoint: string): DatabaseAddress => ({
  ...localAddress(0),
  endpoint,
  credentials: CALLERS[name],
});

/** The environment of a program with the credentials of a caller, in the region of the local engines. */
export function variablesOf(name: CallerName): Record<string, string> {
  const { accessKeyId, secretAccessKey, sessionToken }: Caller = CALLERS[name];
  return {
    AWS_REGION: localAddress(0).region ?? '',
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    ...(sessionToken !== undefined && { AWS_SESSION_TOKEN: sessionToken }),
  };
}
