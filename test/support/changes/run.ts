import { DEFAULT_LIMITS } from '../../../functions/accounts/store/limits.ts';
import { recordCalls } from '../database.ts';
import { testPortal, type PortalAnswer, type TestPortal } from '../portal.ts';
import { ask, type Asked, type ChangePath } from './paths.ts';
import { trustingProvider } from './provider.ts';
import { scene } from './scene.ts';
import { notePartitions } from '../written-items.ts';
import { stateOf, type State } from './state.ts';

type PortalOptions = NonNullable<Parameters<typeof testPortal>[1]>;

/** An instance of the portal, with the partitions that it tries to write to. */
export function instance({ limits }: ChangePath, options: Pick<PortalOptions, 'startDeadline' | 'sleep'> = {}) {
  const written = new Set<string>();
  const portal = testPortal(trustingProvider, { ...options, limits: { ...DEFAULT_LIMITS, ...limits } });
  notePartitions(portal.client, written);
  return { portal, written };
}

/** Prepares a path again, for a change that no other test looks at, and for the stored items of it. */
export async function prepared(path: ChangePath, portal: TestPortal) {
  const own = scene(portal);
  const asked: Asked = await path.prepare(own, portal);
  const [method = ''] = path.operation.split(' ');
  return {
    /** Lets an instance of the portal make the change. */
    send: (by: TestPortal): Promise<PortalAnswer> => ask(by, method, asked),
    /** The current items, including those in partitions that these instances tried to write to. */
    look: (...writers: readonly ReadonlySet<string>[]): Promise<State> =>
      stateOf(
        portal.store,
        new Set([...own.partitions, ...writers.flatMap((written) => [...written])]),
        path.leavesOut,
      ),
  };
}
export type Cell = Awaited<ReturnType<typeof prepared>>;

/**
 * Takes a path twice without any fault, the second time at another instance. The items are those before the change, after it, and after a repeat; the calls
 * are those of the change.
 */
export async function takenTwice(path: ChangePath, steady = instance(path)) {
  const { portal, written } = steady;
  const cell = await prepared(path, portal);
  const { items: before } = await cell.look();
  const { commands } = recordCalls(portal.client);
  const answer = await cell.send(portal);
  const calls = [...commands];
  const { items: after } = await cell.look(written);
  const other = instance(path);
  const repeated = await cell.send(other.portal);
  const { items: afterRepeat } = await cell.look(written, other.written);
  return { reference: { before, after, afterRepeat }, answers: [answer, repeated] as const, calls };
}
