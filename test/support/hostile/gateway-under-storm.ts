import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { PING_PATH } from '../../../functions/operations/ping.ts';
import { periodAt } from '../../../functions/core/period.ts';
import { revokeKey } from '../../../functions/accounts/api-keys.ts';
import type { ControlPlane } from '../../../functions/accounts/control-plane.ts';
import { createClient, documentClient } from '../../../functions/store/client.ts';
import { verifyLedger } from '../../../functions/usage/verification.ts';
import { LOCAL_TABLES } from '../../../local/settings.ts';
import { addressAs } from '../door/callers.ts';
import { tenant } from '../gateway.ts';
import { localKeyTagSecrets } from '../keys.ts';
import { portOf, type RunningGateway } from '../processes.ts';
import { assertHarmless } from './answer.ts';
import type { HttpCase } from './http-cases.ts';
import { play } from './http-client.ts';
import { MARKER } from './texts.ts';

/** A gateway process, and what is known of the storm it stands in. */
export interface StormedGateway {
  /** Plays a case; throws when an answer does harm. */
  readonly play: (hostile: HttpCase) => Promise<void>;
  /** Throws unless the gateway lives, serves, has logged no failure, and every acknowledged unit is in its ledger. */
  readonly assertUnharmed: () => Promise<void>;
  /** How many answers there were, by status. */
  readonly answers: ReadonlyMap<number, number>;
}

/** Gives a running gateway keys that work, that are soon limited, and that are revoked. */
export async function stormedGateway(gateway: RunningGateway): Promise<StormedGateway> {
  const client = documentClient(createClient(addressAs('test', gateway.databaseUrl)));
  const plane: ControlPlane = {
    client,
    tables: LOCAL_TABLES,
    clock: { now: () => Date.now() },
    randomBytes,
    newId: randomUUID,
    random: () => 0,
    sleep: () => Promise.resolve(),
    actor: () => Promise.resolve('storm'),
    keyTagSecrets: localKeyTagSecrets,
  };
  const works = await tenant({ plane }, { rpm: 100_000_000, quotaLimit: 100_000_000 });
  const limited = await tenant({ plane }, { rpm: 3, quotaLimit: 2 });
  const revoked = await tenant({ plane });
  await revokeKey(plane, revoked.projectId, revoked.keyId);
  const keys = { '{key}': works.key, '{limited}': limited.key, '{revoked}': revoked.key };
  const port = Number(portOf(gateway.url));
  const answers = new Map<number, number>();
  let acknowledged = 0;

  return {
    answers,
    play: async (hostile) => {
      const got = await play(hostile, port, keys);
      // Node takes `PRI` in HTTP/0.9 for the start of HTTP/2, and hangs up before anything can be answered.
      const mayBeSilent = hostile.ending === 'abort' || /^(\s*$|PRI )/.test(hostile.writes.join(''));
      const { exitCode, signalCode } = gateway.child;
      const state = `exit ${exitCode ?? signalCode ?? 'none'}: ${gateway.stderr.slice(-2_000)}`;
      assert.ok(got.length > 0 || mayBeSilent, `no answer; the gateway's ${state}`);
      for (const answer of got) {
        assertHarmless(answer, hostile.writes.join('').includes('HEAD ') ? 'HEAD' : 'any');
        answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1);
        const isReplay = answer.headers.some(([name]) => name === 'X-Service-Idempotency-Replayed');
        if (answer.text.includes('"mode":"sandbox"') && !isReplay) acknowledged++;
      }
    },
    assertUnharmed: async () => {
      assert.equal(gateway.child.exitCode, null, `the gateway ended: ${gateway.stderr}`);
      const reply = await fetch(gateway.url + PING_PATH, {
        method: 'POST',
        headers: { Authorization: `Bearer ${works.key}`, 'Content-Type': 'application/json' },
        body: '{}',
      });
      assert.equal(reply.status, 200, await reply.text());
      acknowledged++;
      assert.doesNotMatch(gateway.stderr, /\S/, 'something was logged as a failure');
      assert.doesNotMatch(gateway.stdout, /"level":"(ERROR|WARN)"/, 'something was logged as a failure');
      assert.ok(!gateway.stdout.toLowerCase().includes(MARKER), 'input is logged');

      let charged = 0;
      for (const { projectId } of [works, limited, revoked]) {
        const { consistent, ledgerUnits } = await verifyLedger(plane, projectId, periodAt(plane.clock.now(), 'month'));
        assert.ok(consistent, `the ledger of ${projectId} is not consistent`);
        charged += ledgerUnits;
      }
      // A client that went away may have been charged for an answer that nobody saw.
      assert.ok(charged >= acknowledged, `${acknowledged} acknowledged, ${charged} charged`);
    },
  };
}
