/** Ends a run: it fails if a secret was emitted or stored in clear. */
import { ENGINES } from '../../local/engines.ts';
import { assertNothingLeaked } from './secrets/run.ts';

export default async function stopRun() {
  const { made, end, stop } = globalThis.offer;
  try {
    // The output of a program is complete after its end.
    await Promise.all([end('portal'), end('gateway')]);
    const engines = await Promise.all(Object.keys(ENGINES).map(made));
    await assertNothingLeaked(engines.flatMap((engine) => engine?.direct ?? []));
  } finally {
    await stop();
  }
}
