/** Something that the tests of a run share. */
export interface Thing {
  /** What tests get of it, as JSON. */
  readonly value: unknown;
  /** Ends it; resolves when nothing of it is left. Absent: there is nothing to end. */
  readonly stop?: () => Promise<void>;
}

/** Where the engine of a run is. */
export interface SharedEngine {
  /** Its door (door/door.ts), for calls under a role. */
  readonly endpoint: string;
  /** The engine itself, for who may do anything. */
  readonly direct: string;
}

const engine = async (name: 'dynoxide' | 'dynamodb-local'): Promise<Thing> => {
  const { startEngine } = await import('../engine.ts');
  const database = await startEngine(name);
  const value: SharedEngine = { endpoint: database.address.endpoint, direct: database.direct };
  return { value, stop: () => database.stop() };
};

/**
 * How each is made: in jest's own process, when a test first asks for it (`shared`, test/support/shared/client.ts). What
 * a maker needs it imports itself, so that a run without it does not load that. What it starts must die with this
 * process, also on kill -9: in a thread of it, or as `startDatabase` does.
 */
export const MAKERS: Readonly<Record<string, () => Promise<Thing>>> = {
  dynoxide: () => engine('dynoxide'),
  'dynamodb-local': () => engine('dynamodb-local'),
  portal: async () => {
    const { startPortalSite } = await import('../portal-site.ts');
    const { end } = await import('../processes.ts');
    const site = await startPortalSite();
    const { url, portalUrl, databaseUrl } = site;
    const stop = async (): Promise<void> => {
      await end(site);
    };
    return { value: { url, portalUrl, databaseUrl }, stop };
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
