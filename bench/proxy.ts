import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** What a proxy saw since it was last asked. */
export interface Traffic {
  readonly calls: number;
  /** Calls that came while no other was in flight: those that had to wait for one another. */
  readonly roundTrips: number;
}

/** A delaying, counting proxy before an engine. */
export interface Proxy {
  readonly endpoint: string;
  /** What came since the last call of this; asked when nothing is in flight. */
  readonly take: () => Promise<Traffic>;
  readonly stop: () => Promise<unknown>;
}

/** Starts a proxy that adds at least `delayMs` to every call to the engine at `target`. */
export async function startProxy(target: string, delayMs: number): Promise<Proxy> {
  const worker = new Worker(new URL('proxy-worker.ts', import.meta.url), { workerData: { target, delayMs } });
  const answer = async <T>(): Promise<T> => ((await once(worker, 'message')) as [T])[0];
  const port = await answer<number>();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    take: () => {
      const traffic = answer<Traffic>();
      worker.postMessage('take');
      return traffic;
    },
    stop: () => worker.terminate(),
  };
}
