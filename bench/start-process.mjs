/** A fresh process: loads a bundle and calls its handler with each event. Prints what each step took. */
const [file, events] = process.argv.slice(2);
const context = { getRemainingTimeInMillis: () => 5_000 };

async function spent(step) {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const result = await step();
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  return { result, took: { ms, cpuMs: (user + system) / 1_000 } };
}

const load = await spent(() => import(file));
const calls = [];
for (const event of JSON.parse(events)) {
  const { result, took } = await spent(() => load.result.handler(event, context));
  if (result?.statusCode >= 300) throw new Error(`${file} answered ${result.body}`);
  calls.push(took);
}
process.stdout.write(`\n${JSON.stringify({ load: load.took, calls })}\n`, () => process.exit());
