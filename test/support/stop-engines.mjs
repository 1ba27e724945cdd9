/** Ends the run: it fails when anything secret was emitted or stored in clear. */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { assertNothingLeaked } from './secrets/run.ts';

export default async function stopEngines() {
  try {
    await assertNothingLeaked(globalThis.runningEngines.map(({ address }) => address.endpoint));
  } finally {
    await Promise.all(globalThis.runningEngines.map((running) => running.stop()));
    rmSync(dirname(process.env.TEST_STAGES), { recursive: true, force: true });
  }
}
