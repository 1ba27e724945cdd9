import type { Hono } from 'hono';
import * as v from 'valibot';
import type { AccountStore } from '../../accounts/account-store.ts';
import { readCapsUsed } from '../../accounts/keys/key-units.ts';
import { isoTime } from '../../shared/rules/clock.ts';
import { allFulfilled } from '../../shared/rules/fulfilled.ts';
import { periodAt, periodOf, type Period, type QuotaPeriod } from '../../shared/rules/period.ts';
import { statementCsv } from '../../shared/rules/usage/statement.ts';
import { isKeptWhole } from '../../shared/rules/request/request-store.ts';
import { reconcile, type Reconciliation } from '../../usage/reconciliation.ts';
import { PORTAL_METRICS } from '../../shared/names.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import { PeriodQuery } from '../contract/requests/usage.ts';
import { READ_OF_SUMS } from '../writes.ts';
import type { PortalContext, PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { PortalError } from '../errors.ts';
import { pathId } from '../paths.ts';
import { authorizeLedgerRead } from '../reads.ts';
import type { PortalTelemetry } from '../telemetry.ts';
import type { UsageDependencies } from './usage.ts';

export interface LedgerDependencies extends UsageDependencies {
  readonly quotaPeriod: QuotaPeriod;
  readonly telemetry: PortalTelemetry;
}

const PERIOD_RULE = 'Give a period such as 2026-11 that has begun, and whose events are all kept.';

/** The requested period. The default is the present one. */
const querySchema = (nowMs: number, { quotaPeriod, usageRetentionDays }: LedgerDependencies) =>
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
export function ledgerRoutes(app: Hono<PortalEnvironment>, dependencies: LedgerDependencies): void {
  addRoute(app, ROUTES.checkLedger, READ_OF_SUMS, async (c) => {
    const { store, period } = await asked(c, dependencies);
    const books = await checked(c, dependencies, store, period);
    const { state, counter, events, difference, remaining } = books;
    const checkedAt = isoTime(c.get('state').receivedAtMs);
    return c.json({ period: period.id, state, counter, events, difference, remaining, checkedAt });
  });

  addRoute(app, ROUTES.getStatement, READ_OF_SUMS, async (c) => {
    const projectId = pathId(c, 'projectId');
    const { store, period } = await asked(c, dependencies);
    const [books, caps] = await allFulfilled([
      checked(c, dependencies, store, period),
      readCapsUsed(store, projectId, period.id),
    ]);
    if (books.events === null) {
      // A counter without a number is a lasting defect.
      throw new PortalError(books.state === 'counting' ? 'STILL_COUNTING' : 'INTERNAL_ERROR');
    }
    const name = `statement-${projectId}-${period.id}.csv`;
    c.header('Content-Disposition', `attachment; filename="${name}"`);
    return c.body(statementCsv({ ...books, projectId, periodId: period.id, caps }), 200, {
      'Content-Type': 'text/csv',
    });
  });
}

/** The caller, counted as a read, and the requested period. */
async function asked(c: PortalContext, dependencies: LedgerDependencies) {
  const { store, query } = await authorizeLedgerRead(
    c,
    dependencies,
    querySchema(c.get('state').receivedAtMs, dependencies),
  );
  return { store, period: query.period };
}

/** Compares counter and events of the project in the path, and reports a difference to the platform team. */
async function checked(
  c: PortalContext,
  dependencies: LedgerDependencies,
  store: AccountStore,
  period: Period,
): Promise<Reconciliation> {
  const { receivedAtMs: nowMs, requestId, runInBackground } = c.get('state');
  const projectId = pathId(c, 'projectId');
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
