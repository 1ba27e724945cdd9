/**
 * `npm run bench`: measures speed and cost, and their ratios to the peer. Nothing depends on the result; loopback only.
 */
import { Argument, Command, InvalidArgumentError } from 'commander';
import { isColourful } from '../bin/cli/table.ts';
import { readNamed, wholeNumber } from '../functions/shared/settings/named-value.ts';
import type { BenchPart } from './part.ts';
import { bundle } from './parts/bundle.ts';
import { coldStart } from './parts/cold-start.ts';
import { contention } from './parts/contention.ts';
import { cost } from './parts/cost.ts';
import { cpu } from './parts/cpu.ts';
import { latency } from './parts/latency.ts';
import { reportText, type PartReport } from './report.ts';

/** Every part, in the order in which they run. */
const PARTS = { latency, cost, cpu, 'cold-start': coldStart, bundle, contention };

const HELP = `
Parts:
${Object.entries(PARTS)
  .map(([name, { measures }]) => `  ${name.padEnd(12)}${measures}\n`)
  .join('')}
Figures are medians, with quartiles in parentheses. A ratio compares what was measured in turns in the same run.
Exit status: 0 measured; 1 something does not work.`;

const RUNS = wholeNumber(1, 1_000, 'Give a whole number from 1 to 1000.');
const readRuns = (text: string) => Number(readNamed('', text, RUNS, (message) => new InvalidArgumentError(message)));

await new Command('bench')
  .description('Measures the gateway beside its peer (bench/peer). Without names it runs every part.')
  .addArgument(new Argument('[parts...]', 'which to run').choices(Object.keys(PARTS)))
  .option('--runs <n>', 'how often to repeat, more for a noisy machine', readRuns, 5)
  .option('--json', 'print one JSON object')
  .addHelpText('after', HELP)
  .action(async (names: string[], { runs, json }: { runs: number; json?: true }) => {
    const reports: PartReport[] = [];
    const show = (text: string): void => {
      if (isColourful(process.stderr, process.env)) process.stderr.write(`\r\u001b[K${text}`);
    };
    for (const [part, { run, ...what }] of Object.entries<BenchPart>(PARTS)) {
      if (names.length > 0 && !names.includes(part)) continue;
      const startedAt = performance.now();
      const findings = await run(runs, (doing) => show(`${part}: ${doing}`)).finally(() => show(''));
      const report = { part, ...what, seconds: (performance.now() - startedAt) / 1_000, ...findings };
      if (!json) process.stdout.write(reportText(report));
      reports.push(report);
    }
    if (json) process.stdout.write(`${JSON.stringify({ runs, parts: reports })}\n`);
  })
  .parseAsync();
