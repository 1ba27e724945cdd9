import type { AccountStore } from '../accounts/account-store.ts';
import type { QuotaPeriod } from '../core/period.ts';
import type { NoticesMetricName } from '../wiring.ts';
import type { Mailer } from './mail/mailer.ts';
import type { Queue } from './message.ts';

/** What the notices function works with. Tests and `npm start` give their own. */
export interface NoticesDependencies {
  /**
   * The tables, with clock and ids, as the platform team: nothing is hidden from a notice. Its `keyTagSecrets` are what
   * keyed hashes, tokens and secrets of endpoints derive from, each with a purpose of its own (`keyedHash`).
   */
  readonly store: AccountStore;
  readonly quotaPeriod: QuotaPeriod;
  readonly queues: { readonly mail: Queue; readonly webhooks: Queue };
  /** Undefined: the stage sends no mail. */
  readonly mailer: Mailer | undefined;
  readonly deliver: Deliver;
  /** The portal's own origin, as browsers use it: what mails link to. */
  readonly portalOrigin: string;
  /** Whom people may ask, https or mailto; undefined: nobody is named. */
  readonly supportUrl: string | undefined;
  readonly stage: string;
  readonly telemetry: NoticesTelemetry;
}

/** A request to an endpoint, which is a stranger's. */
export interface Delivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a request to an endpoint and says the status of its answer, whatever it is. Rejects when there was none. */
export type Deliver = (delivery: Delivery) => Promise<number>;

/** What was not done: Lambda gives the stream again from there, or the message again. */
export interface Failures {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** How much time an invocation has left, in milliseconds. */
export type TimeLeft = () => number;

/** The logs and metrics of the notices function: ids and counts, never an address, a name or a secret. */
export interface NoticesTelemetry {
  /** Logs what was done, under a fixed text. */
  readonly info: (message: string, details: Readonly<Record<string, string | number | boolean | null>>) => void;
  /** Logs what the platform team should see although the work goes on, or is tried again. */
  readonly warn: (
    message: string,
    details: Readonly<Record<string, string | number | boolean | null>>,
    cause?: unknown,
  ) => void;
  /** Adds to a count. */
  readonly count: (metric: NoticesMetricName, by?: number) => void;
}
