import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { HEALTH_PATH } from '../../functions/shared/names.ts';
import { unusedPort } from '../../local/database.ts';
import { LOCAL_KEY_TAG_SECRET } from '../../local/settings.ts';
import { cliOn } from '../support/cli.ts';
import { ping, signedIn, startPortalSite, type PortalSite } from '../support/portal-site.ts';
import { banner, completed, end, onOwnDatabase, portOf, run, until } from '../support/processes.ts';
import { startsInTests } from '../support/starting.ts';

const start = startsInTests();
const isReplay = (response: Response) => response.headers.get('x-service-idempotency-replayed') === 'true';
const UNDER_KEY = { 'Idempotency-Key': 'idempotency-key-k' };
const DEMO = 'demo@example.com';
/** A clock that moved would be ahead of other processes, and of a later start. */
async function expectFixedClock({ url }: PortalSite): Promise<void> {
  const { status, stdout, stderr } = await completed(run('clock.ts', ['+1h'], { PORT: portOf(url) }));
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^error: The clock was not moved \(409\): .*DATA_DIR and AWS_ENDPOINT_URL_DYNAMODB/);
}
/** Who the demo person is there, and of which accounts. */
async function demoOf(site: PortalSite) {
  const { user, accounts } = await (await signedIn(site, DEMO)).read('/api/session');
  return { user, accounts };
}

describe('with DATA_DIR', () => {
  test('data, sessions and keys survive a restart; all of it is its owner’s alone', async () => {
    const DATA_DIR = join(await start.directory(), 'new', 'data');
    const first = await start.portal({ DATA_DIR });
    expect((await ping(first, first.key, UNDER_KEY)).status).toBe(200);
    await expectFixedClock(first);
    const demo = await demoOf(first);
    const session = await signedIn(first, DEMO);
    const modeOf = async (file: string) => (await stat(file)).mode & 0o777;
    expect(await modeOf(DATA_DIR)).toBe(0o700);
    for (const file of await readdir(DATA_DIR))
      expect([file, await modeOf(join(DATA_DIR, file))]).toEqual([file, 0o600]);
    const identity = await readFile(join(DATA_DIR, 'identity.json'), 'utf8');
    await end(first);

    const second = await start.portal({ DATA_DIR });
    expect([second.projectId, second.key]).toEqual([first.projectId, first.key]);
    expect(isReplay(await ping(second, second.key, UNDER_KEY))).toBe(true);
    // The session belongs to one address of the portal, with its port.
    const headers = { cookie: session.jar.list().join('; ') };
    expect(await (await fetch(`${second.portalUrl}/api/session`, { headers })).json()).toMatchObject(demo);
    expect(await demoOf(second)).toEqual(demo);
    expect(await readFile(join(DATA_DIR, 'identity.json'), 'utf8')).toBe(identity);

    // A demo key that no longer works is replaced, and the file is no longer readable for others.
    const file = join(DATA_DIR, 'demo.json');
    const { keyId } = JSON.parse(await readFile(file, 'utf8')) as { keyId: string };
    const cli = cliOn(second.databaseUrl);
    const revoke = ['key', 'revoke', '--project', second.projectId, '--key', keyId];
    expect((await cli.run(...revoke)).status).toBe(0);
    cli.close();
    await chmod(file, 0o644);
    await end(second);
    const third = await start.gateway({ DATA_DIR });
    expect(third.key).not.toBe(first.key);
    expect((await ping(third, third.key)).status).toBe(200);
    expect(await modeOf(file)).toBe(0o600);
  });
});

describe('with AWS_ENDPOINT_URL_DYNAMODB', () => {
  let owner: PortalSite;
  beforeAll(async () => {
    owner = await startPortalSite({}, onOwnDatabase);
  });
  afterAll(() => end(owner));

  test('several share a database and its people, which none of them stops; DATA_DIR keeps the demo key of each', async () => {
    const external = { AWS_ENDPOINT_URL_DYNAMODB: owner.databaseUrl, DATA_DIR: join(await start.directory(), 'new') };
    const guest = await start.portal({ ...external, AWS_PROFILE: 'mine', AWS_REGION: 'eu-central-1' });
    await expectFixedClock(guest);
    expect((await ping(owner, owner.key, UNDER_KEY)).status).toBe(200);
    expect(isReplay(await ping(guest, owner.key, UNDER_KEY))).toBe(true);
    expect(await demoOf(guest)).toEqual(await demoOf(owner));
    expect(guest.projectId).toBe(owner.projectId);
    expect(guest.key).not.toBe(owner.key);
    expect(await end(guest)).toBe(0);
    expect((await ping(owner, owner.key)).status).toBe(200);
    expect((await start.gateway(external)).key).toBe(guest.key);
  });

  test('the keys of another gateway are taken under its KEY_TAG_SECRETS, and only then', async () => {
    const AWS_ENDPOINT_URL_DYNAMODB = owner.databaseUrl;
    const secret = 'canary-secret-of-another-gateway-0';
    const guest = await start.gateway({ AWS_ENDPOINT_URL_DYNAMODB, KEY_TAG_SECRETS: secret });
    expect([(await ping(guest, guest.key)).status, (await ping(guest, owner.key)).status]).toEqual([200, 401]);
    const both = `${secret},${LOCAL_KEY_TAG_SECRET}`;
    const changed = await start.gateway({ AWS_ENDPOINT_URL_DYNAMODB, KEY_TAG_SECRETS: both });
    for (const key of [guest.key, owner.key]) expect((await ping(changed, key)).status).toBe(200);
    await end(changed);
    expect(changed.stdout + changed.stderr).not.toContain('canary');
  });

  test('with a prefix of its own new keys have it; those of before work on, and no gateway without it takes the new ones', async () => {
    const guest = await start.gateway({ AWS_ENDPOINT_URL_DYNAMODB: owner.databaseUrl, KEY_PREFIXES: 'acme' });
    expect(guest.key).toMatch(/^acme_test_[0-9A-Za-z]{42}$/);
    expect([(await ping(guest, guest.key)).status, (await ping(guest, owner.key)).status]).toEqual([200, 200]);
    expect((await ping(owner, guest.key)).status).toBe(401);
    await end(guest);
    expect(guest.stdout.split(guest.key)).toHaveLength(3);
  });

  test('a database that does not answer: health is 200, ping 503; when it comes, all is well', async () => {
    const port = await unusedPort();
    const running = start.begin({ PORTAL: 'off', AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}` });
    await until(() => running.stderr.includes('\n'));
    const url = /http:\S+\d/.exec(running.stderr)?.[0] ?? '';
    expect(running.stderr).toBe(`Listening on ${url}, waiting for the database at http://127.0.0.1:${port} …\n`);
    expect((await fetch(`${url}${HEALTH_PATH}`)).status).toBe(200);
    const away = await ping({ url }, owner.key);
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '1']);
    await start.gateway({ DYNAMODB_PORT: String(port) });
    const { key } = await banner(running);
    expect((await ping({ url }, key)).status).toBe(200);
  });
});
