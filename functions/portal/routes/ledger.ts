import * as v from 'valibot';
import { PORTAL_METRICS } from '../../shared/names.ts';
import { isoTime, periodAt, periodOf, type Period } from '../../shared/time.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { isKeptWhole } from '../../shared/request/request-store.ts';
import { statementCsv } from '../../usage/sums/statement.ts';
import { capUnitsOf } from '../../usage/checks/cap-passes.ts';
import { reconcile, type Reconciliation } from '../../usage/checks/reconciliation.ts';
import { PeriodQuery, usageContract } from '../contract/usage.ts';
import { PortalError } from '../contract/errors.ts';
import { serve, tableOf, type Asked, type Known } from '../serve/serve.ts';
import type { PortalTelemetry } from '../request/telemetry.ts';

const PERIOD_RULE = 'Give a period such as 2026-11 that has begun, and whose events are all kept.';

/** The requested period. The default is the present one. */
const periodQuery = ({ nowMs, dependencies: { quotaPeriod, usageRetentionDays } }: Known) =>
  v.pipe(
    PeriodQuery,
    v.transform(({ period = periodAt(nowMs, quotaPeriod).id }) => ({ period: periodOf(period, quotaPeriod) })),
    v.object({
      period: v.custom<Period>((period) => {
        const asked = period as Period | undefined;
        return asked !== undefined && asked.startsAtMs <= nowMs && isKeptWhole(asked, usageRetentionDays, nowMs);
      }, PERIOD_RULE),
    }),
  );

/** The proof of a project's ledger: its counter equals its events. */
export const ledgerRoutes = [
  serve(
    usageContract.checkLedger,
    async (asked) => {
      const { state, counter, events, difference, remaining } = await checked(asked);
      const { input, nowMs } = asked;
      return { period: input.period.id, state, counter, events, difference, remaining, checkedAt: isoTime(nowMs) };
    },
    periodQuery,
  ),

  serve(
    usageContract.getStatement,
    async (asked) => {
      const { c, store, id, input } = asked;
      const [projectId, periodId] = [id('projectId'), input.period.id];
      const [books, caps] = await allFulfilled([
        checked(asked),
        capUnitsOf(store, { projectId, period: input.period }),
      ]);
      if (books.events === null) {
        // A counter without a number is a lasting defect.
        throw new PortalError(books.state === 'counting' ? 'STILL_COUNTING' : 'INTERNAL_ERROR');
      }
      return tableOf(c, `statement-${projectId}-${periodId}`, statementCsv({ ...books, projectId, periodId, caps }));
    },
    periodQuery,
  ),
];

/** Compares counter and events of the project in the path, and reports a difference to the platform team. */
async function checked({ c, store, id, input, nowMs, dependencies }: Asked<{ readonly period: Period }>) {
  const { requestId, runInBackground } = c.get('state');
  const projectId = id('projectId');
  const { period } = input;
  const { usageRetentionDays, telemetry } = dependencies;
  const { books, storing } = await reconcile(store, { projectId, period, nowMs, usageRetentionDays });
  runInBackground(storing);
  if (books.state === 'different') reportDifference(telemetry, requestId, differenceOf(projectId, period, books));
  return books;
}

/** Reports a difference to the platform team: a log line, and a metric that pages. */
export function reportDifference(telemetry: PortalTelemetry, requestId: string, difference: Error): void {
  telemetry.count(PORTAL_METRICS.ledgerDifferences);
  telemetry.warn('A counter and its events differ.', requestId, difference);
}

/** For the log: the arguments for `ledger verify`. */
const differenceOf = (projectId: string, { id }: Period, { difference }: Reconciliation): Error =>
  new Error(
    `project ${projectId}, period ${id}: ` +
      (difference
        ? `the events minus the counter are ${difference.atLeast} to ${difference.atMost} units`
        : 'the counter holds no number'),
  );
