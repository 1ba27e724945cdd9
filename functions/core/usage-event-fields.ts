import type { UsageEvent } from './usage-event.ts';

/** The fields of a usage event in the order of {@link UsageEvent}: where they are shown or exported one by one. */
export const USAGE_EVENT_FIELDS = [
  'requestId',
  'projectId',
  'keyId',
  'event',
  'operation',
  'status',
  'code',
  'units',
  'period',
  'latencyMs',
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'clientRequestId',
  'occurredAt',
] as const satisfies readonly (keyof UsageEvent)[];
