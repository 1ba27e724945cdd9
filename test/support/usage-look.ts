import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import type { UsageSeries } from '../../functions/usage/sums/buckets.ts';
import { DAY, HOUR, FIVE_MINUTES, roundedOutward, type Bounds } from '../../functions/usage/sums/intervals.ts';
import { readSeries } from '../../functions/usage/sums/usage-series.ts';

const BUCKETS = { '5min': FIVE_MINUTES, hour: HOUR, day: DAY } as const;

/** A read of a project's usage. */
export interface Look {
  readonly by: keyof typeof BUCKETS;
  /** Any times; the second is not after now. */
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly keyId?: string;
}

/** One answer to a read of usage, after its sums are stored. */
export async function lookOnce(
  store: AccountStore,
  projectId: string,
  { by, keyId, ...given }: Look,
): Promise<UsageSeries & { readonly span: Bounds }> {
  const span = roundedOutward(BUCKETS[by], given);
  const nowMs = store.clock.now();
  const question = { projectId, span, by: BUCKETS[by], keyId, nowMs, usageRetentionDays: 400 };
  const { series, storing } = await readSeries(store, question);
  await storing;
  return { ...series, span };
}

/** The answers to a reader who repeats until all events are summed. */
export async function lookUntilComplete(store: AccountStore, projectId: string, look: Look): Promise<UsageSeries[]> {
  const answers: UsageSeries[] = [];
  do {
    if (answers.length > 500) throw new Error('the answers never become complete');
    answers.push(await lookOnce(store, projectId, look));
  } while (answers.at(-1)?.complete !== true);
  return answers;
}
