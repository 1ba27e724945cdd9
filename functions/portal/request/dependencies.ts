import type { AccountStore } from '../../accounts/store/account-store.ts';
import type { LeakedKeys } from '../../accounts/keys/leaked-keys.ts';
import type { Limits } from '../../accounts/store/limits.ts';
import type { SessionLimits } from '../../accounts/people/sessions.ts';
import type { Clock, QuotaPeriod } from '../../shared/time.ts';
import type { Deadline } from '../../shared/deadline.ts';
import type { RandomBytes } from '../../shared/ids.ts';
import type { ClientPackages } from '../../shared/settings/client-packages.ts';
import type { OpenIdProvider } from '../provider/provider.ts';
import type { PortalTelemetry } from './telemetry.ts';

/** What the portal's function stands on: the store, the clock, the provider, and the settings of its stage. */
export interface PortalDependencies {
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** A deadline for a request that starts now. */
  readonly startDeadline: () => Deadline;
  readonly telemetry: PortalTelemetry;
  /** The store has no caller yet, and so no actor. */
  readonly store: AccountStore;
  readonly provider: OpenIdProvider;
  /** The portal's origin, as browsers use it. The host of a request may be another. */
  readonly portalOrigin: string;
  /** Origin of the gateway, where keys are used. */
  readonly gatewayUrl: string;
  readonly stage: string;
  readonly sessionLimits: SessionLimits;
  readonly limits: Limits;
  readonly quotaPeriod: QuotaPeriod;
  /** How long charged events and their sums are kept. */
  readonly usageRetentionDays: number;
  /** The defaults of new projects and new keys. Without units no quota is enforced. */
  readonly defaults: { readonly quotaUnits: number | undefined; readonly rpm: number };
  /** Whether the stage sends mail. */
  readonly hasMail?: boolean;
  /** Whether endpoints may be at `http://localhost`. Only with `npm start`; absent: no. */
  readonly hasLocalEndpoints?: boolean;
  /** What ends a key that was found in public; absent: `revoke`. */
  readonly leakedKeys?: LeakedKeys;
  /** The address for questions. Undefined: the page names none. */
  readonly supportUrl?: string | undefined;
  /** The client libraries in registries. Undefined: the page names those that the portal serves. */
  readonly clientPackages?: ClientPackages | undefined;
}
