import { listOpenProjects } from '../../accounts/projects/stored-projects.ts';
import { readThresholds } from '../../accounts/team/notice-thresholds.ts';
import { periodAt } from '../../shared/rules/period.ts';
import { sendAgain } from '../send-again.ts';
import { capCounters, checkCaps } from './cap-checks.ts';
import type { NoticesDependencies, TimeLeft } from '../dependencies.ts';
import { checkExpiries } from './expiring-keys.ts';
import { checkTokens } from './expiring-tokens.ts';
import { unlessUnreadable } from '../failures.ts';
import type { AccountsMessage, Checkpoint } from '../message.ts';
import { noteEnded } from './run-progress.ts';
import { checkQuota } from '../thresholds.ts';

/** An account's turn. After it the accounts of the message that wait come first. */
const TURN_MS = 20_000;
/** The message goes on later when less time is left. It is enough for a project without its caps. */
const LEAST_TIME_MS = 60_000;
/** In place of a cap: all of the project were checked. It is none's id. */
const ALL_CAPS = '~';

/**
 * Checks accounts: the keys that will expire, and the thresholds. So a threshold whose record the stream has lost gets
 * its notice a day late. An account that does not end in its turn goes on where it was, after the others. Items that
 * cannot be read are skipped, logged and counted, and checked again on the next day.
 */
export async function onAccounts(
  dependencies: NoticesDependencies,
  message: AccountsMessage,
  timeLeft: TimeLeft,
): Promise<void> {
  const { store, telemetry } = dependencies;
  const { day, part } = message;
  let waiting = message.accountIds;
  let checkpoints = message.checkpoints ?? [];
  for (;;) {
    const [accountId, ...others] = waiting;
    if (accountId === undefined) break;
    const from = checkpoints.find((one) => one.accountId === accountId);
    const untilMs = store.clock.now() + TURN_MS;
    const isOver = (): boolean => timeLeft() < LEAST_TIME_MS || store.clock.now() >= untilMs;
    let stopped: Checkpoint | undefined;
    // If the store fails, the message comes again.
    await unlessUnreadable(telemetry, 'an account', { accountId }, async () => {
      stopped = await checkAccount(dependencies, accountId, from, isOver);
    });
    // Those of the others are kept: each of several large accounts goes on where it was.
    checkpoints = checkpoints.filter((one) => one !== from);
    if (stopped) {
      const next = { ...message, accountIds: [...others, accountId], checkpoints: [...checkpoints, stopped] };
      await sendAgain(dependencies, next, 0);
      return;
    }
    waiting = others;
    if (waiting.length > 0 && timeLeft() < LEAST_TIME_MS) {
      await sendAgain(dependencies, { ...message, accountIds: waiting, checkpoints }, 0);
      return;
    }
  }
  await noteEnded(store, day, part);
}

/** Checks an account from its checkpoint on. Returns where it stopped; undefined: it has ended. */
async function checkAccount(
  dependencies: NoticesDependencies,
  accountId: string,
  from: Checkpoint | undefined,
  isOver: () => boolean,
): Promise<Checkpoint | undefined> {
  const { store, quotaPeriod, telemetry } = dependencies;
  const { id: period } = periodAt(store.clock.now(), quotaPeriod);
  const thresholds = await readThresholds(store, accountId);
  if (!from) {
    await unlessUnreadable(telemetry, 'the tokens of an account', { accountId }, () =>
      checkTokens(store, accountId, thresholds.days),
    );
  }
  for await (const projectId of listOpenProjects(store, accountId)) {
    if (from && projectId < from.projectId) continue;
    if (from?.projectId === projectId && from.capId === ALL_CAPS) continue;
    const check = (what: string, run: () => Promise<void>) =>
      unlessUnreadable(telemetry, what, { accountId, projectId }, run);
    let after = from?.projectId === projectId ? from.capId : undefined;
    if (from?.projectId !== projectId) {
      await check('the keys of a project', () => checkExpiries(store, accountId, projectId, thresholds.days));
      await check('a counter', () => checkQuota(dependencies, projectId, period, thresholds));
    }
    await check('the caps of a project', async () => {
      for await (const counters of capCounters(store, projectId, period, after)) {
        await checkCaps(dependencies, { accountId, projectId, period }, counters, thresholds);
        after = counters.at(-1)?.capId;
        if (isOver()) return;
      }
    });
    if (isOver()) return { accountId, projectId, capId: after ?? ALL_CAPS };
  }
  return undefined;
}
