import type { MiddlewareHandler } from 'hono';
import type { Authority } from '../accounts/changes.ts';
import type { PortalEnvironment } from './hono-context.ts';

/**
 * Kinds of items that routes write: the beginnings of partition and sort key, up to the first `#`
 * (docs/architecture.md, "Data model").
 */
export type ItemKind =
  | `ACCOUNT/${'ACCOUNT' | 'AUDIT' | 'INVITED' | 'KEY' | 'MADE' | 'MEMBER' | 'PROJECT' | 'TOKEN' | 'TOKENS'}`
  | 'MAILED/OPTOUT'
  | `NOTICES/${'DELIVERY' | 'ENDED' | 'ENDPOINT' | 'ENDPOINTS' | 'MAIL-OPTOUT'}`
  | `PROJECT/${'KEYREF' | 'KEYS' | 'PROJECT'}`
  | `USER/${'ACCOUNT' | 'SESSION' | 'USER'}`
  | `USED/${'CHANGES' | 'INVITED' | 'READS' | 'REMAINDER' | 'SIGN-INS'}`
  | `ROLLUP/${'DAY' | 'HOUR' | 'PART'}`
  | 'ACCOUNTS/'
  | 'IDENTITY/IDENTITY'
  | `INVITED/${'ACCOUNT' | 'UNTIL'}`
  | 'KEY/KEY'
  | 'TOKEN/TOKEN';

/** The declaration of a route. Tests check every request against it. */
export interface Declaration {
  /** All kinds of items that it may write, except the time of the last request of the session or token. */
  readonly writes: readonly ItemKind[];
  /** Who may set each member of its body. Other members are not read. */
  readonly sets?: Readonly<Record<string, Authority>>;
}

/** What every change of an account writes in addition. */
export const CHANGE = ['USED/CHANGES', 'ACCOUNT/AUDIT'] as const satisfies readonly ItemKind[];

/** Declares a route, before the route's handler. A route without a declaration is unknown. */
export const declares = (declaration: Declaration): MiddlewareHandler<PortalEnvironment> =>
  Object.assign<MiddlewareHandler<PortalEnvironment>, { declaration: Declaration }>(
    (c, next) => {
      c.get('state').members = Object.keys(declaration.sets ?? {});
      return next();
    },
    { declaration },
  );

/** A read that is not counted, one that is, and one that also keeps sums of usage. */
export const READ = declares({ writes: [] });
export const COUNTED_READ = declares({ writes: ['USED/READS'] });
export const READ_OF_SUMS = declares({ writes: ['USED/READS', 'ROLLUP/DAY', 'ROLLUP/HOUR', 'ROLLUP/PART'] });

/** The declaration in a handler; undefined: it is another handler. */
export const declarationOf = (handler: object): Declaration | undefined =>
  (handler as { declaration?: Declaration }).declaration;
