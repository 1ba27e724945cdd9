import type { UsageEvent } from '../core/usage-event.ts';
import type { ItemKey } from './table-items.ts';

/** Where a usage event is stored. */
export const eventKey = ({
  projectId,
  occurredAt,
  requestId,
}: Pick<UsageEvent, 'projectId' | 'occurredAt' | 'requestId'>): ItemKey => ({
  pk: projectId,
  sk: `${occurredAt}#${requestId}`,
});

/** The key that all events of one API key, code and minute share, so that the first of them is kept. */
export const oncePerMinuteKey = ({
  projectId,
  occurredAt,
  keyId,
  code,
  event,
}: Pick<UsageEvent, 'projectId' | 'occurredAt' | 'keyId' | 'code' | 'event'>): ItemKey => ({
  pk: projectId,
  sk: `${occurredAt.slice(0, 'YYYY-MM-DDTHH:MM'.length)}:00.000Z#${keyId}#${code ?? event}`,
});
