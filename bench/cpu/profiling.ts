import { Session, type HeapProfiler, type Runtime } from 'node:inspector/promises';
import { sumsBy } from '../statistics.ts';

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
  const { nodes, samples = [], timeDeltas = [] } = (await session.post('Profiler.stop')).profile;
  session.disconnect();
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, JSON.stringify(callFrame)]));
  const spent = samples.map((id, i) => ({ frame: frames.get(id) ?? '{}', us: timeDeltas[i] ?? 0 }));
  const sums = sumsBy(
    spent,
    ({ frame }) => frame,
    ({ us }) => us,
  );
  return sums
    .map(({ name: frame, sum }) => {
      const { functionName, url } = JSON.parse(frame) as Runtime.CallFrame;
      return { name: functionName || '(anonymous)', where: sourceOf(url), selfMs: sum / 1_000 };
    })
    .filter(({ name }) => name !== '(idle)');
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
  const { head } = (await session.post('HeapProfiler.stopSampling')).profile;
  session.disconnect();
  const sum = ({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number =>
    children.reduce((total, child) => total + sum(child), selfSize);
  return sum(head);
}
