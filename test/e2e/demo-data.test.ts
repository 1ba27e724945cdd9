import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { cliOn } from '../support/cli.ts';
import { end, onOwnDatabase } from '../support/processes.ts';
import { startPortalSite, type PortalSite } from '../support/portal-site.ts';

const TIMEOUT_MS = 180_000;

/** The output of the CLI as JSON. */
async function told(site: PortalSite, ...args: string[]): Promise<unknown> {
  const cli = cliOn(site.databaseUrl);
  const { status, stderr, json } = await cli.run(...args, '--json');
  cli.close();
  if (status !== 0) throw new Error(stderr);
  return json;
}

/** Starts the gateway and waits for the portal: then the data exist. */
async function startFilled(dataDirectory: string): Promise<PortalSite> {
  const site = await startPortalSite({ DEMO: 'full', DATA_DIR: dataDirectory }, onOwnDatabase);
  await (await fetch(`${site.portalUrl}/api/session`)).arrayBuffer();
  return site;
}

interface Project {
  readonly projectId: string;
  readonly name: string;
}

interface Sent {
  readonly userAgent: string | null;
}

test(
  'the demo account has three projects whose counters equal their events, and a second start adds nothing',
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'demo-'));
    try {
      const first = await startFilled(directory);
      const { projects } = (await told(first, 'project', 'list')) as { projects: Project[] };
      expect(projects.map(({ name }) => name).sort()).toEqual(['Bus tracker', 'Demo', 'Trip planner']);
      for (const { projectId } of projects) {
        expect(await told(first, 'ledger', 'verify', '--project', projectId)).toMatchObject({ consistent: true });
      }
      const busy = projects.find(({ name }) => name === 'Trip planner')?.projectId ?? '';
      const outcomes = JSON.stringify(
        await told(first, 'usage', 'summary', '--project', busy, '--since', '40d', '--by', 'event'),
      );
      for (const event of ['request_succeeded', 'idempotency_replay', 'idempotency_conflict', 'rate_limit_rejected'])
        expect(outcomes).toContain(event);
      const { events } = (await told(first, 'usage', 'list', '--project', busy, '--limit', '20')) as { events: Sent[] };
      expect(events).toHaveLength(20);
      expect(events.filter(({ userAgent }) => userAgent === null)).toEqual([]);
      const keys = await told(first, 'key', 'list', '--project', busy);
      await end(first);

      const second = await startFilled(directory);
      expect(await told(second, 'project', 'list')).toEqual({ projects });
      expect(await told(second, 'key', 'list', '--project', busy)).toEqual(keys);
      await end(second);
    } finally {
      await rm(directory, { recursive: true });
    }
  },
  TIMEOUT_MS,
);
