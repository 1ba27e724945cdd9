/**
 * A fresh process: loads a bundle and calls its handler with at most two events. Sends how long the load and the calls
 * took.
 */
const [file, events] = process.argv.slice(2);
const context = { getRemainingTimeInMillis: () => 5_000 };
const start = {};

async function spent(step, work) {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const result = await work();
  start[`${step}Ms`] = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  start[`${step}CpuMs`] = (user + system) / 1_000;
  return result;
}

process.on('disconnect', () => process.exit());
try {
  const { handler } = await spent('load', () => import(file));
  for (const [i, event] of JSON.parse(events).entries()) {
    const answer = await spent(['firstCall', 'secondCall'][i], () => handler(event, context));
    if (answer?.statusCode >= 300) throw new Error(`answered ${answer.body}`);
  }
  process.send(start);
} catch (error) {
  // Without its stack, which shows the whole minified code as one line.
  process.send({ failure: `${error}` });
}
