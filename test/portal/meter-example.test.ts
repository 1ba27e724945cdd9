import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from '@jest/globals';
import { stageWithTenant } from '../support/portal-team.ts';
import { completed, runCommand } from '../support/processes.ts';
import { served, type Served } from '../support/served.ts';
import { DAY_MS, HOUR_MS } from '../support/times.ts';
import { program, tokenOf } from '../support/tokens.ts';

const DAY = '2030-01-15';
const END = Date.UTC(2030, 0, 16);
interface Metered {
  readonly id: string;
  readonly units: number;
}

const servers: Served[] = [];
afterEach(() => {
  for (const { close } of servers.splice(0)) close();
});

/** What a server does with its n-th request before it answers: nothing, or it ends the connection afterwards. */
type Fault = (nth: number) => boolean;

/** The management API over HTTP, a meter that refuses a second id, and the example between them. */
async function scene(losesAnswer: { readonly ofPortal?: Fault; readonly ofMeter?: Fault } = {}) {
  const stage = await stageWithTenant({ nowMs: END - HOUR_MS });
  const { token } = await tokenOf(stage.browser, stage.account, { scopes: ['usage:read'] });
  const ci = program(stage.portal, token);
  const meter = new Map<string, Metered>();
  const [asked, fed]: [string[], Metered[]] = [[], []];
  const portal = await served((request, response) => {
    const { pathname, search } = new URL(request.url ?? '', 'http://portal');
    void ci.get(pathname.replace('/manage/v1', ''), search.slice(1)).then(({ status, text: body }) => {
      asked.push(pathname);
      if (losesAnswer.ofPortal?.(asked.length)) request.socket.destroy();
      else response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
    });
  });
  const billing = await served((request, response) => {
    void text(request).then((body) => {
      const event = JSON.parse(body) as Metered;
      const isNew = !meter.has(event.id);
      if (isNew) meter.set(event.id, event);
      fed.push(event);
      if (losesAnswer.ofMeter?.(fed.length)) request.socket.destroy();
      else response.writeHead(isNew ? 201 : 409).end();
    });
  });
  servers.push(portal, billing);
  const run = (...days: string[]) =>
    completed(
      runCommand(process.execPath, ['examples/typescript/meter.ts', ...days], {
        SANDBOX_MANAGEMENT_TOKEN: token,
        SANDBOX_MANAGEMENT_BASE_URL: `${portal.url}/manage/v1`,
        METER_URL: billing.url,
      }),
    );
  return { ...stage, token, meter, fed, run };
}

test('a day that was fed is what the ledger charged, and a second run adds nothing', async () => {
  const { gateway, clock, key, projectId, meter, fed, run, token } = await scene();
  for (let n = 0; n < 3; n++) await gateway.ping(key);
  await gateway.ping(key, { body: '[]' });
  clock.nowMs = END + 1;
  await gateway.ping(key);
  clock.nowMs = END + HOUR_MS;
  const [first, second] = [await run(DAY), await run('2030-01-14', DAY)];
  expect(first).toMatchObject({ status: 0, stdout: `${projectId}:${DAY}: 3 units\n`, stderr: '' });
  expect(second.stdout).toContain(`${projectId}:${DAY}: 3 units, which the meter has already\n`);
  const expected = { id: `${projectId}:${DAY}`, projectId, day: DAY, units: 3 };
  expect(fed.filter(({ id }) => id.endsWith(DAY))).toEqual([expected, expected]);
  expect([...meter.values()].reduce((sum, { units }) => sum + units, 0)).toBe(3);
  expect(JSON.stringify([first, second])).not.toContain(token);
});

test('an answer that is lost, of the gateway or of the meter, costs a repeat and never a double', async () => {
  const first: Fault = (nth) => nth === 1;
  const { gateway, clock, key, projectId, meter, fed, run } = await scene({ ofPortal: first, ofMeter: first });
  await gateway.ping(key);
  clock.nowMs = END + DAY_MS;
  expect(await run(DAY)).toMatchObject({ status: 0, stderr: '' });
  expect(fed).toHaveLength(2);
  expect([...meter.values()]).toEqual([{ id: `${projectId}:${DAY}`, projectId, day: DAY, units: 1 }]);
});

test('a day that is not closed yet is not fed, and the run says so', async () => {
  const { gateway, key, meter, run } = await scene();
  await gateway.ping(key);
  const { status, stdout, stderr } = await run(DAY);
  expect([status, stdout, meter.size]).toEqual([1, '', 0]);
  expect(stderr).toContain(`${DAY} is not closed yet: run this again an hour after its end.`);
});
