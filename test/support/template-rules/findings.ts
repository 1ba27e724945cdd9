import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A resource as CloudFormation checks it: without functions in its properties. */
export interface Judged {
  readonly type: string;
  readonly properties: object;
}

/** Equal resources are judged once. */
const keyOf = ({ type, properties }: Judged): string => JSON.stringify([type, properties]);

/**
 * What AWS's own validation, which comes with the CDK, says of resources. Returns a function that gives the findings of
 * one of them, a line each. It runs in a thread, since its rules are compiled for seconds.
 */
export async function findingsOf(resources: readonly Judged[]): Promise<(resource: Judged) => readonly string[]> {
  const distinct = [...new Map(resources.map((resource) => [keyOf(resource), resource]))];
  const thread = new Worker(new URL('validate.ts', import.meta.url), { workerData: distinct.map(([, one]) => one) });
  const [found] = (await once(thread, 'message')) as [string[][]];
  const byKey = new Map(distinct.map(([key], i) => [key, found[i] ?? []]));
  return (resource) => byKey.get(keyOf(resource)) ?? [];
}
