import { DEFAULT_LIMITS } from '../../../functions/accounts/limits.ts';
import { notePartitions } from '../database.ts';
import { testPortal, type PortalAnswer, type TestPortal } from '../portal.ts';
import { ask, type Asked, type ChangePath } from './paths.ts';
import { trustingProvider } from './provider.ts';
import { scene } from './scene.ts';
import { stateOf, type State } from './state.ts';

type PortalOptions = NonNullable<Parameters<typeof testPortal>[1]>;

/** An instance of the portal, with the partitions that it tries to write to. */
export function instance({ limits }: ChangePath, options: Pick<PortalOptions, 'startDeadline' | 'sleep'> = {}) {
  const written = new Set<string>();
  const portal = testPortal(trustingProvider, { ...options, limits: { ...DEFAULT_LIMITS, ...limits } });
  notePartitions(portal.client, written);
  return { portal, written };
}

/** Something that is to be changed, and what is stored of it. */
export interface Cell {
  /** Has an instance of the portal make the change. */
  readonly send: (portal: TestPortal) => Promise<PortalAnswer>;
  /** What is stored now, also where these instances tried to write. */
  readonly look: (...writers: readonly ReadonlySet<string>[]) => Promise<State>;
}

/** Makes a path ready once more, for a change that nothing else looks at. */
export async function prepared(path: ChangePath, portal: TestPortal): Promise<Cell> {
  const own = scene(portal);
  const asked: Asked = await path.prepare(own, portal);
  const [method = ''] = path.operation.split(' ');
  return {
    send: (by) => ask(by, method, asked),
    look: (...writers) =>
      stateOf(
        portal.store,
        new Set([...own.partitions, ...writers.flatMap((written) => [...written])]),
        path.leavesOut,
      ),
  };
}

/** What is stored when nothing goes wrong: before a change, after it, and when it was asked for twice. */
interface Reference {
  readonly before: State['items'];
  readonly after: State['items'];
  readonly afterRepeat: State['items'];
}

/** Takes a path, twice, with nothing in its way. */
export async function takenTwice(path: ChangePath, steady = instance(path)) {
  const { portal, written } = steady;
  const cell = await prepared(path, portal);
  const { items: before } = await cell.look();
  const answer = await cell.send(portal);
  const { items: after } = await cell.look(written);
  const repeated = await cell.send(portal);
  const { items: afterRepeat } = await cell.look(written);
  return { reference: { before, after, afterRepeat } satisfies Reference, answers: [answer, repeated] as const };
}
