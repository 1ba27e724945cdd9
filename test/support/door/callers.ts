import { localAddress, type DatabaseAddress } from '../../../local/settings.ts';

/** Credentials by which tests have calls signed. */
export interface Caller {
  /** Also the caller's name. Letters alone: the engines take no others. */
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** As roles have it: it must come with every call. */
  readonly sessionToken?: string;
}

const role = <Name extends string>(name: Name) => ({
  accessKeyId: name,
  secretAccessKey: `secret/of+${name}`,
  sessionToken: `session/of+${name}==`,
});

/**
 * Who calls AWS in tests: the functions and an operator, each under a role; `local`, an operator by the credentials of
 * everything local, such as `--local` of the CLI; and the tests themselves, which may do anything.
 */
export const CALLERS = {
  metered: role('metered'),
  portal: role('portal'),
  operator: role('operator'),
  local: localAddress(0).credentials ?? role('local'),
  test: { accessKeyId: 'test', secretAccessKey: 'secret/of+test' },
} as const satisfies Record<string, Caller>;
export type CallerName = keyof typeof CALLERS;

/** The caller of an access key; undefined: there is none. */
export const callerOf = (accessKeyId: string): Caller | undefined =>
  Object.hasOwn(CALLERS, accessKeyId) ? CALLERS[accessKeyId as CallerName] : undefined;

/** Where an engine is, for who calls it as one of them. */
export const addressAs = (name: CallerName, endpoint: string): DatabaseAddress => ({
  ...localAddress(0),
  ...{ endpoint, credentials: CALLERS[name] },
});

/** The environment of a program that calls as one of them, in the region of the local engines. */
export function variablesOf(name: CallerName): Record<string, string> {
  const { accessKeyId, secretAccessKey, sessionToken }: Caller = CALLERS[name];
  return {
    AWS_REGION: localAddress(0).region ?? '',
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    ...(sessionToken !== undefined && { AWS_SESSION_TOKEN: sessionToken }),
  };
}
