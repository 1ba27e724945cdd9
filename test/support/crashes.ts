import { apply, discard, intercept, type misbehavingServer } from './faults.ts';
import { testGateway } from './gateway.ts';
import type { TestClock } from './reports.ts';

/** Where a process stops: at one of its database calls, counted from 1 on, or at the wait after a conflict of one. */
export interface CrashPoint {
  readonly call: number;
  readonly when: 'before it is sent' | 'before its answer is seen' | 'while it waits out a conflict';
}

/**
 * An instance of the gateway that stops at a point of its first request: from there on nothing of it runs, whatever was
 * under way. `stopped` resolves when it has.
 */
export function stoppingGateway(
  { call, when }: CrashPoint,
  clock: TestClock,
  { answer }: Awaited<ReturnType<typeof misbehavingServer>>,
) {
  const { promise: stopped, resolve } = Promise.withResolvers<undefined>();
  let isStopped = false;
  const hasStopped = () => isStopped;
  const stop = (): Promise<never> => {
    isStopped = true;
    resolve(undefined);
    return new Promise(() => undefined);
  };
  const gateway = testGateway({ clock, sleep: stop });
  const calls = new Set<string>();
  intercept(gateway.client, async (attempt) => {
    calls.add(attempt.callId);
    const isHere = calls.size === call;
    if (hasStopped() || (isHere && when === 'before it is sent')) return stop();
    if (isHere && when === 'while it waits out a conflict') return answer(attempt, 'cancels');
    if (isHere) {
      await apply(attempt);
      return stop();
    }
    const answered = await attempt.send();
    if (!hasStopped()) return answered;
    await discard(answered).catch(() => undefined);
    return stop();
  });
  return { gateway, stopped };
}
