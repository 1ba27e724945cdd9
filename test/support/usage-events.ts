import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';

/** A usage event as the gateway writes it, with the given members. */
export const someEvent = (given: Partial<UsageEvent> = {}): UsageEvent => ({
  requestId: '01b92504-8230-7a78-958c-786de2921d1b',
  projectId: 'Project00000',
  keyId: 'key_0000000000000000',
  event: 'request_succeeded',
  operation: 'sandbox.ping',
  status: 200,
  code: null,
  units: 1,
  period: '2030-01',
  latencyMs: 12,
  inputTokens: null,
  outputTokens: null,
  totalTokens: null,
  clientRequestId: null,
  occurredAt: '2030-01-15T10:00:30.000Z',
  originalRequestId: null,
  detail: null,
  userAgent: null,
  sourceAddress: null,
  idempotencyTag: null,
  ...given,
});

/** Yields elements one by one, like a reader of the database. */
export async function* oneByOne<T>(elements: Iterable<T>): AsyncGenerator<T> {
  for (const element of elements) yield await Promise.resolve(element);
}

/** For a project without requests, in tests of its overview. */
export const noRequest = (): Promise<null> => Promise.resolve(null);
