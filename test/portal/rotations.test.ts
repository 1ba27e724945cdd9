import { describe, expect, test } from '@jest/globals';
import { claimants, outcomeOf } from '../support/claimants.ts';
import { created } from '../support/portal-team.ts';
import { DAY_MS } from '../support/times.ts';

const LIMIT_REACHED = '409 LIMIT_REACHED';

async function chain(limits = {}) {
  const made = claimants({ changesPerMinute: 10_000, ...limits });
  const { browser, keys, account, claims } = await made.project();
  const rotate = (keyId = '', body: object = {}) => browser.post(`${keys}/${keyId}/rotate`, body);
  const answersTo = async (all: readonly { key?: string }[]): Promise<number[]> =>
    Promise.all(all.map(async ({ key = '' }) => (await made.gateway.ping(key)).status));
  return { ...made, browser, keys, account, claims, rotate, create: () => created(browser.post(keys, {})), answersTo };
}

describe('of a chain of rotations two keys work at most:', () => {
  test('while the predecessor is in its grace, a rotation is refused unless it names it, and then ends it', async () => {
    const { browser, account, rotate, create, answersTo } = await chain();
    const first = await create();
    const second = await created(rotate(first.keyId, { graceHours: 168 }));
    const refused = await rotate(second.keyId, { graceHours: 168 });
    expect([outcomeOf(refused), refused.body]).toEqual([
      LIMIT_REACHED,
      expect.objectContaining({ ends: first.keyId, detail: expect.stringContaining('still works') as unknown }),
    ]);
    // A caller cannot end any other key in this way.
    const other = await create();
    expect((await rotate(second.keyId, { ends: other.keyId })).body).toMatchObject({ ends: first.keyId });
    expect(outcomeOf(await rotate(other.keyId, { ends: first.keyId }))).toBe('400 INVALID_REQUEST');
    expect(outcomeOf(await rotate(other.keyId, { ends: 'first' }))).toBe('400 INVALID_REQUEST');
    expect(await answersTo([first, second, other])).toEqual([200, 200, 200]);

    const third = await created(rotate(second.keyId, { graceHours: 168, ends: first.keyId }));
    expect(await answersTo([first, second, third, other])).toEqual([401, 200, 200, 200]);
    const { events } = (await browser.get(`${account}/audit`, 'action=key.expire')).body as { events: unknown[] };
    expect(events).toMatchObject([{ keyId: first.keyId, before: {}, after: {}, actorKind: 'member' }]);
  });

  test('once it has ended, by its time or by a revocation, there is nothing to name, and naming it does no harm', async () => {
    const { portal, browser, keys, claims, signIn, rotate, create, answersTo } = await chain();
    const first = await create();
    const second = await created(rotate(first.keyId, { graceHours: 1 }));
    portal.clock.nowMs += DAY_MS;
    await signIn(browser, claims);
    const third = await created(rotate(second.keyId, { graceHours: 168 }));
    expect((await browser.post(`${keys}/${second.keyId}/revoke`)).status).toBe(200);
    const fourth = await created(rotate(third.keyId, { ends: second.keyId }));
    expect(await answersTo([first, second, third, fourth])).toEqual([401, 401, 200, 200]);
  });

  test('however many ask at once', async () => {
    const { rotate, create, answersTo } = await chain();
    const first = await create();
    const second = await created(rotate(first.keyId, { graceHours: 168 }));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => rotate(second.keyId, i % 2 === 0 ? {} : { ends: first.keyId })),
    );
    const made = answers.filter(({ status }) => status === 201).map(({ body }) => body as { key: string });
    expect(made).toHaveLength(1);
    expect(await answersTo([first, second, ...made])).toEqual([401, 200, 200]);
  });
});

test('at most twice the keys that may be active work, also where each is rotated and its successor revoked', async () => {
  const { browser, keys, rotate, answersTo } = await chain({ activeKeysPerProject: 2 });
  const known: { key?: string }[] = [];
  const outcomes: string[] = [];
  for (let i = 0; i < 4; i++) {
    const made = await browser.post(keys, {});
    outcomes.push(outcomeOf(made));
    if (made.status !== 201) continue;
    const first = made.body as { keyId: string; key: string };
    const successor = await created(rotate(first.keyId, { graceHours: 168 }));
    known.push(first, successor);
    expect((await browser.post(`${keys}/${successor.keyId}/revoke`)).status).toBe(200);
  }
  // Each key in its grace has taken the place of its successor, which is revoked.
  expect(outcomes).toEqual(['201', '201', LIMIT_REACHED, LIMIT_REACHED]);
  expect((await answersTo(known)).filter((status) => status === 200)).toHaveLength(2);
  const { projects } = (await browser.get(keys.slice(0, keys.indexOf('/projects/') + 9))).body as {
    projects: { activeKeys: number }[];
  };
  expect(projects).toMatchObject([{ activeKeys: 2 }]);
});
