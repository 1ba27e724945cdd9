/** A fresh process: loads a bundle and calls its handler with each event. Says what the load and the calls took. */
const [file, events] = process.argv.slice(2);
const context = { getRemainingTimeInMillis: () => 5_000 };

async function spent(step) {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const result = await step();
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  return { result, ms, cpuMs: (user + system) / 1_000 };
}

process.on('disconnect', () => process.exit());
try {
  const load = await spent(() => import(file));
  const calls = [];
  for (const event of JSON.parse(events)) {
    const call = await spent(() => load.result.handler(event, context));
    if (call.result?.statusCode >= 300) throw new Error(`answered ${call.result.body}`);
    calls.push(call);
  }
  const [first, second] = calls;
  process.send({
    loadMs: load.ms,
    loadCpuMs: load.cpuMs,
    firstCallMs: first?.ms,
    firstCallCpuMs: first?.cpuMs,
    secondCallMs: second?.ms,
  });
} catch (error) {
  // Not its stack: that shows the line of minified code where it failed, which is all of it.
  process.send({ failure: `${error}` });
}
