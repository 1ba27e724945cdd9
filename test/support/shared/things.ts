import type { RunningGateway } from '../processes.ts';

/** Something that the tests of a run share. */
export interface Thing {
  /** Its value for the tests, as JSON. */
  readonly value: unknown;
  /** Ends it completely; absent if there is nothing to end. */
  readonly stop?: () => Promise<void>;
}

/** The addresses of a run's engine. */
export interface SharedEngine {
  /** Its IAM proxy (iam-proxy/proxy.ts), for calls under a role. */
  readonly endpoint: string;
  /** The engine itself, for callers that may do anything. */
  readonly direct: string;
}

/** A gateway of a run, of which each test has projects of its own. */
export type SharedGateway = Pick<RunningGateway, 'url' | 'databaseUrl' | 'projectId' | 'key'>;

const engine = async (name: 'dynoxide' | 'dynamodb-local'): Promise<Thing> => {
  const { startEngine } = await import('../engine.ts');
  const database = await startEngine(name);
  const value: SharedEngine = { endpoint: database.address.endpoint, direct: database.direct };
  return { value, stop: () => database.stop() };
};

/**
 * The creation of each thing, in jest's own process at its first use (`shared`, test/support/shared/client.ts). A maker
 * imports its modules itself, so that other runs do not load them. Everything that it starts must end with this
 * process, even after kill -9: in a thread, or as in `startDatabase`.
 */
export const MAKERS: Readonly<Record<string, () => Promise<Thing>>> = {
  dynoxide: () => engine('dynoxide'),
  'dynamodb-local': () => engine('dynamodb-local'),
  gateway: async () => {
    const { end, startGateway } = await import('../processes.ts');
    const gateway = await startGateway();
    const { url, databaseUrl, projectId, key } = gateway;
    const stop = async (): Promise<void> => {
      await end(gateway);
    };
    return { value: { url, databaseUrl, projectId, key }, stop };
  },
  portal: async () => {
    const { startPortalSite } = await import('../portal-site.ts');
    const { end } = await import('../processes.ts');
    const site = await startPortalSite({ SUPPORT_URL: 'https://help.example.com/more' });
    const { url, portalUrl, mailboxUrl, databaseUrl } = site;
    const stop = async (): Promise<void> => {
      await end(site);
    };
    return { value: { url, portalUrl, mailboxUrl, databaseUrl }, stop };
  },
  policies: async () => {
    const { synthesisedPolicies } = await import('../stack.ts');
    return { value: await synthesisedPolicies() };
  },
  stages: async () => {
    const { STAGES, synthesise } = await import('../stack.ts');
    return { value: await synthesise(STAGES) };
  },
};
