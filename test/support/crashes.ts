import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { apply, discard, intercept, type misbehavingServer } from './faults.ts';
import { testGateway } from './gateway.ts';
import type { TestClock } from './reports.ts';

/** The point where a process stops: at one of its database calls, counted from 1, or at the wait after a conflict. */
export interface CrashPoint {
  readonly call: number;
  readonly when: 'before it is sent' | 'before its answer is seen' | 'while it waits out a conflict';
}

type Server = Awaited<ReturnType<typeof misbehavingServer>>;

/**
 * An instance of the gateway that stops at a point of its first request. After that nothing of it runs. `stopped`
 * resolves when it has stopped.
 */
export function stoppingGateway(point: CrashPoint, clock: TestClock, server: Server) {
  const { sleep, stopped, strike } = crash(point, server);
  const gateway = testGateway({ clock, sleep });
  strike(gateway.client);
  return { gateway, stopped };
}

/**
 * Stops a process at a point of its first request: give its client to `strike`, and use `sleep` as its wait. `stopped`
 * resolves when it has stopped. After that no call of it begins or returns.
 */
export function crash({ call, when }: CrashPoint, { answer }: Server) {
  const { promise: stopped, resolve } = Promise.withResolvers<undefined>();
  let isStopped = false;
  const hasStopped = () => isStopped;
  const stop = (): Promise<never> => {
    isStopped = true;
    resolve(undefined);
    return new Promise(() => undefined);
  };
  const strike = (client: DynamoDBClient): void => {
    const calls = new Set<string>();
    intercept(client, async (attempt) => {
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
  };
  const sleep = (): Promise<void> =>
    isStopped || when === 'while it waits out a conflict' ? stop() : Promise.resolve();
  return { sleep, stopped, strike };
}
