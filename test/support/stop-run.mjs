/** Ends a run: it fails when anything secret was emitted or stored in clear. */
import { ENGINES } from '../../local/engines.ts';
import { assertNothingLeaked } from './secrets/run.ts';

export default async function stopRun() {
  const { made, stop } = globalThis.offer;
  try {
    const endpoints = await Promise.all(Object.keys(ENGINES).map(made));
    await assertNothingLeaked(endpoints.filter((endpoint) => endpoint !== undefined));
  } finally {
    await stop();
  }
}
