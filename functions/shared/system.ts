import type * as v from 'valibot';
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type Clock, QuotaPeriodText, type QuotaPeriod } from './time.ts';
import type { Deadline } from './deadline.ts';
import { ENVIRONMENT } from './names.ts';
import { readKeyTagSecrets } from './credentials/api-key.ts';
import { knowKeyPrefixes } from './credentials/credential-text.ts';
import { keyPrefixesIn, KeyPrefixesText } from './settings/key-prefixes.ts';
import { readNamed, nonEmptyText } from './settings/named-value.ts';

/** The longest time for one request, from receipt to response; after it a 503 (docs/architecture.md, "One ledger"). */
const REQUEST_DEADLINE_MS = 4_000;

/** The only access to the machine's clock and randomness; it also makes sleeps and deadlines. */
export const system = {
  clock: { now: () => Date.now() } satisfies Clock,
  newId: (): string => randomUUID(),
  randomBytes: (size: number): Uint8Array => randomBytes(size),
  /** Uniform in [0, 1); for jitter, not for secrets. */
  random: (): number => Math.random(),
  sleep: async (ms: number, signal: AbortSignal): Promise<void> => {
    await setTimeout(ms, undefined, { signal });
  },
  startDeadline: (): Deadline => {
    const endsAtMs = performance.now() + REQUEST_DEADLINE_MS;
    return Object.assign(AbortSignal.timeout(REQUEST_DEADLINE_MS), { leftMs: () => endsAtMs - performance.now() });
  },
};

/** The only access to the environment: what every function reads of it, when it starts. Each throws `SettingsError`. */

/** Reads a variable by its schema. */
export const read = <S extends v.GenericSchema>(name: string, schema: S): v.InferOutput<S> =>
  readNamed(name, process.env[name], schema);
/** Reads the text of a variable that must be set. */
export const required = (name: string): string => read(name, nonEmptyText);
/** Undefined: it is not set, or empty. */
export const optional = (name: string): string | undefined => process.env[name] || undefined;

/** Undefined: it does not run in Lambda. */
export const lambdaName = () => optional('AWS_LAMBDA_FUNCTION_NAME');
/** Also the value of the dimension `stage` of metrics. */
export const stageName = (): string => optional(ENVIRONMENT.stage) ?? 'local';
/** Whether `npm start` runs the function. Then endpoints on this machine may be called. */
export const isOnThisMachine = (): boolean => optional(ENVIRONMENT.stage) === undefined && lambdaName() === undefined;
export const tableNames = () => ({
  gateway: required(ENVIRONMENT.gatewayTable),
  usage: required(ENVIRONMENT.usageTable),
});
/** Without them no key can be distinguished from a forged one, and the function does not start. */
export const keyTagSecrets = () => readKeyTagSecrets(ENVIRONMENT.keyTagSecrets, required(ENVIRONMENT.keyTagSecrets));
/** Before anything is made, read or logged. */
export const knowKeys = (): void => knowKeyPrefixes(keyPrefixesIn(read(ENVIRONMENT.keyPrefixes, KeyPrefixesText)));
export const quotaPeriod = () => read(ENVIRONMENT.quotaPeriod, QuotaPeriodText) as QuotaPeriod;
