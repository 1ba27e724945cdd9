import { isKeptWhole } from '../../functions/core/request-store.ts';
import { periodAt, periodOf, type Period } from '../../functions/core/period.ts';
import type { Deployment } from './deployment.ts';

/** The option that names a period: flags and description. */
export const PERIOD_OPTION = [
  '--period <id>',
  'such as 2026-10, or 2026-10-31 where the quota is counted by the day (default: the current one)',
] as const;

/** The period of an id, or the current one. Throws an error of one line when its ledger cannot be verified. */
export function chosenPeriod(id: string | undefined, deployment: Deployment, nowMs: number): Period {
  const length = deployment.quotaPeriod();
  if (id === undefined) return periodAt(nowMs, length);
  const period = periodOf(id, length);
  if (!period) {
    const example = length === 'month' ? '2026-10' : '2026-10-31';
    throw new Error(`The quota is counted by the ${length}: give --period as ${example}.`);
  }
  if (period.startsAtMs > nowMs) throw new Error(`The period ${id} has not begun.`);
  if (!isKeptWhole(period, deployment.usageRetentionDays, nowMs))
    throw new Error(`The usage events of ${id} are no longer all kept.`);
  return period;
}
