import { Session, type HeapProfiler, type Profiler } from 'node:inspector/promises';

/** A function with the share of the processor's time that it took itself, without what it called. */
export interface HotFunction {
  readonly name: string;
  /** File, without what all paths have in common. */
  readonly where: string;
  readonly selfMs: number;
}

const SAMPLING_INTERVAL_US = 200;
const ALLOCATION_SAMPLING_BYTES = 8_192;

/** Where the time goes while something runs: every function that was seen, by its own time. */
export async function profile(work: () => Promise<void>): Promise<HotFunction[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_INTERVAL_US });
  await session.post('Profiler.start');
  await work();
  const { profile: found } = await session.post('Profiler.stop');
  session.disconnect();
  return hotFunctions(found);
}

function hotFunctions({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): HotFunction[] {
  const selfUs = new Map<number, number>();
  samples.forEach((id, i) => selfUs.set(id, (selfUs.get(id) ?? 0) + (timeDeltas[i] ?? 0)));
  const functions = new Map<string, HotFunction>();
  for (const { id, callFrame } of nodes) {
    const name = callFrame.functionName || '(anonymous)';
    const where = sourceOf(callFrame.url);
    const key = `${name} ${callFrame.url}:${callFrame.lineNumber}:${callFrame.columnNumber}`;
    const selfMs = (functions.get(key)?.selfMs ?? 0) + (selfUs.get(id) ?? 0) / 1_000;
    functions.set(key, { name, where, selfMs });
  }
  return [...functions.values()].filter(({ name }) => name !== '(idle)').sort((a, b) => b.selfMs - a.selfMs);
}

/** `@smithy/core/…/file.js` for a package, `functions/…` for a file of this repository, `node:…` for Node's own. */
const sourceOf = (url: string): string =>
  /.*\/node_modules\/(.*)/.exec(url)?.[1] ?? /\/((?:functions|bench|local)\/.*)/.exec(url)?.[1] ?? url;

/** Bytes that something allocates on the heap, those collected meanwhile included; estimated from samples. */
export async function allocatedBytes(work: () => Promise<void>): Promise<number> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: ALLOCATION_SAMPLING_BYTES,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  await work();
  const { profile: found } = await session.post('HeapProfiler.stopSampling');
  session.disconnect();
  const sum = ({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number =>
    children.reduce((total, child) => total + sum(child), selfSize);
  return sum(found.head);
}
