import type { MiddlewareHandler } from 'hono';
import type { Authority } from '../accounts/changes.ts';
import type { PortalEnvironment } from './environment.ts';

/**
 * Kinds of items that routes write: how partition and sort key begin, up to the first `#`
 * (docs/architecture.md, "Data model").
 */
export type ItemKind =
  | `ACCOUNT/${'ACCOUNT' | 'AUDIT' | 'INVITED' | 'KEY' | 'MADE' | 'MEMBER' | 'PROJECT'}`
  | `PROJECT/${'KEYREF' | 'KEYS' | 'PROJECT'}`
  | `USER/${'ACCOUNT' | 'SESSION' | 'USER'}`
  | `USED/${'CHANGES' | 'INVITED' | 'READS' | 'REMAINDER' | 'SIGN-INS'}`
  | `ROLLUP/${'DAY' | 'HOUR' | 'PART'}`
  | 'ACCOUNTS/'
  | 'IDENTITY/IDENTITY'
  | `INVITED/${'ACCOUNT' | 'UNTIL'}`
  | 'KEY/KEY';

/** What a route says of itself. Tests hold every request of theirs to it. */
export interface Declaration {
  /** All that it may write, but for the time at which the session was last seen. */
  readonly writes: readonly ItemKind[];
  /** Who may set each member of its body. A member that is not here is not read. */
  readonly sets?: Readonly<Record<string, Authority>>;
}

/** What each change of an account writes beside what it is for. */
export const CHANGE = ['USED/CHANGES', 'ACCOUNT/AUDIT'] as const satisfies readonly ItemKind[];

/** Declares a route. It stands before the route's handler; a route without it is not known. */
export const declares = (declaration: Declaration): MiddlewareHandler<PortalEnvironment> =>
  Object.assign<MiddlewareHandler<PortalEnvironment>, { declaration: Declaration }>(
    (c, next) => {
      c.get('state').members = Object.keys(declaration.sets ?? {});
      return next();
    },
    { declaration },
  );

/** What a handler declares; undefined: it is another handler. */
export const declarationOf = (handler: object): Declaration | undefined =>
  (handler as { declaration?: Declaration }).declaration;
