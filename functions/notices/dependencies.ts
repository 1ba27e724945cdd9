import type { AccountStore } from '../accounts/store/account-store.ts';
import type { QuotaPeriod } from '../shared/time.ts';
import type { NoticesMetricName } from '../shared/names.ts';
import type { Mailer } from './mail/mailer.ts';
import type { Queue } from './message.ts';

/** The dependencies of the notices function. Tests and `npm start` pass their own. */
export interface NoticesDependencies {
  /**
   * The tables, with clock and ids. The actor is the platform team, so nothing is hidden from a notice. Keyed hashes,
   * tokens and the secrets of endpoints derive from its `keyTagSecrets`, each for a purpose of its own (`keyedHash`).
   */
  readonly store: AccountStore;
  readonly quotaPeriod: QuotaPeriod;
  readonly queues: { readonly mail: Queue; readonly webhooks: Queue; readonly daily: Queue };
  /** Undefined: the stage sends no mail. */
  readonly mailer: Mailer | undefined;
  readonly deliver: Deliver;
  /**
   * Keeps an event that is left out, in the form in which the function can be given it again. Rejects when it was not
   * stored; then the event is not left out yet.
   */
  readonly keepLeftOut: (name: string, event: object) => Promise<void>;
  /** The portal's own origin, as browsers use it. Mails link to it. */
  readonly portalOrigin: string;
  readonly stage: string;
  readonly telemetry: NoticesTelemetry;
}

/** A request to an endpoint. The endpoint belongs to a stranger. */
export interface Delivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends a request to an endpoint, and returns the status of its answer, whatever it is. Rejects when there was no
 * answer.
 */
export type Deliver = (delivery: Delivery) => Promise<number>;

/** What failed. Lambda delivers the stream again from there, or the message again. */
export interface Failures {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** How much time an invocation has left, in milliseconds. */
export type TimeLeft = () => number;

/** The logs and metrics of the notices function: ids and counts, never an address, a name or a secret. */
export interface NoticesTelemetry {
  /** Logs an action, under a fixed text. */
  readonly info: (message: string, details: Readonly<Record<string, string | number | boolean | null>>) => void;
  /** Logs a problem that the platform team should see, although the work continues or is tried again. */
  readonly warn: (
    message: string,
    details: Readonly<Record<string, string | number | boolean | null>>,
    cause?: unknown,
  ) => void;
  /** Adds to a counter. */
  readonly count: (metric: NoticesMetricName, by?: number) => void;
}
