import type { Context } from 'aws-lambda';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import type { QuotaPeriod } from '../../functions/shared/time.ts';
import { dynamoDbRequestStore } from '../../functions/gateway/ledger/dynamodb-request-store.ts';
import { meteredChain } from '../../functions/gateway/metered-chain.ts';
import { PING_PATH } from '../../functions/gateway/operations/ping.ts';
import { system } from '../../functions/shared/system.ts';
import { DEFAULT_USAGE_RETENTION_DAYS, routeKeyOf } from '../../functions/shared/names.ts';

/** The content of one request of the demo. Without any of it, it is a valid ping. */
interface DemoRequest {
  /** What the program that sends it calls itself. */
  readonly agent?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The past of a project: its changes and requests one after the other, on a clock of its own. */
export interface Lane {
  /** The account store at the lane's time. */
  readonly store: AccountStore;
  /** Sets the clock. It never goes back: an earlier time leaves it unchanged. */
  readonly at: (timeMs: number) => void;
  /**
   * Sends a ping through the gateway's own chain: charge, event and replay record commit as usual. Nothing is logged.
   */
  readonly ping: (key: string, request?: DemoRequest) => Promise<void>;
}

/** Milliseconds between two looks at the clock: three looks a request, so that latencies look like a gateway's. */
const STEPS_MS = [0, 3, 2, 0, 5, 1, 0, 8, 2, 0, 4, 2, 0, 3, 1, 0, 11, 3];
/** The programs of the demo, as they call themselves. */
export const AGENTS = {
  server: 'trip-planner/4.2 node/24',
  staging: 'trip-planner/4.3-rc node/24',
  tracker: 'bus-tracker/1.9 python/3.14',
  ci: 'python-httpx/0.28',
  shell: 'curl/8.5.0',
};
const PING = { method: 'POST', path: PING_PATH };

/** A lane on a local database. Its events are kept as long as those of the gateway beside it. */
export function lane(store: AccountStore, quotaPeriod: QuotaPeriod, startMs: number): Lane {
  let [timeMs, looks] = [startMs, 0];
  const clock = { now: () => (timeMs += STEPS_MS[looks++ % STEPS_MS.length] ?? 0) };
  const { client, tables, keyTagSecrets } = store;
  const silent = { request: () => undefined, warn: () => undefined, count: () => undefined };
  const chain = keyTagSecrets().then((secrets) =>
    meteredChain({
      ...system,
      clock,
      telemetry: silent,
      allowedOrigins: [],
      quotaPeriod,
      keyTagSecrets: secrets,
      store: dynamoDbRequestStore({
        client,
        tables,
        usageRetentionDays: DEFAULT_USAGE_RETENTION_DAYS,
        ...system,
      }),
    }),
  );
  return {
    store: { ...store, clock },
    at: (newMs) => {
      timeMs = Math.max(timeMs, newMs);
    },
    ping: async (key, { agent = AGENTS.shell, headers = {}, body = '{}' } = {}) => {
      const event = {
        routeKey: routeKeyOf(PING),
        rawPath: PING.path,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'user-agent': agent,
          ...headers,
        },
        requestContext: { requestId: '', http: { method: PING.method } },
        body,
      };
      await (
        await chain
      )(event as never, {} as Context as never);
    },
  };
}
