import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { stormedGateway, type StormedGateway } from '../support/hostile/gateway-under-storm.ts';
import { httpCase } from '../support/hostile/http-cases.ts';
import { storm } from '../support/hostile/storm.ts';
import { end, startGateway, type RunningGateway } from '../support/processes.ts';

const SEED = 20_261_121;

let gateway: RunningGateway;
let stormed: StormedGateway;
beforeAll(async () => {
  gateway = await startGateway();
  stormed = await stormedGateway(gateway);
});
afterAll(async () => {
  await end(gateway);
});

describe('hostile clients', () => {
  test('get the envelope or nothing, none of the inside, no 5xx, and do no harm to the gateway or its ledger', async () => {
    await storm(httpCase, stormed.play, { seed: SEED, cases: 1_000 });
    await stormed.assertUnharmed();
    // The storm reaches every layer: refused by the server, by each rule of the gateway, and served.
    expect([...stormed.answers.keys()].sort()).toEqual([200, 204, 400, 401, 404, 405, 409, 413, 415, 429]);
  }, 60_000);
});
