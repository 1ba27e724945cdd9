import { randomBytes } from 'node:crypto';
import { requestIdAt } from '../../functions/shared/ids.ts';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';
import { createClient, documentClient } from '../../functions/shared/store/client.ts';
import { LOCAL_TABLES } from '../../local/settings.ts';
import { addressAs } from './iam-proxy/callers.ts';
import type { Site } from './portal-site.ts';
import type { Settled } from './portal-visit.ts';
import { putEvents } from './stored-events.ts';
import { someEvent } from './usage-events.ts';

/**
 * Puts events of a person's project into the site's ledger, as the gateway would. Members that are not given have usual
 * values.
 */
export async function putUsage(
  site: Site,
  { projectId }: Pick<Settled, 'projectId'>,
  events: readonly (Partial<UsageEvent> & Pick<UsageEvent, 'occurredAt'>)[],
): Promise<UsageEvent[]> {
  const client = createClient(addressAs('test', site.databaseUrl));
  const stored = events.map((event) =>
    someEvent({
      projectId,
      requestId: requestIdAt(Date.parse(event.occurredAt), randomBytes),
      period: event.occurredAt.slice(0, 7),
      ...event,
    }),
  );
  await putEvents({ client: documentClient(client), tables: LOCAL_TABLES }, stored);
  client.destroy();
  return stored;
}
