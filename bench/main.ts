/**
 * `npm run bench`: measures speed and cost, and their ratios to the peer. Nothing depends on the result; loopback only.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { isColourful } from '../bin/admin/table.ts';
import { readNamed, wholeNumber } from '../functions/core/named-value.ts';
import type { BenchPart } from './part.ts';
import { bundle } from './parts/bundle.ts';
import { coldStart } from './parts/cold-start.ts';
import { contention } from './parts/contention.ts';
import { cost } from './parts/cost.ts';
import { cpu } from './parts/cpu.ts';
import { growth } from './parts/growth.ts';
import { latency } from './parts/latency.ts';
import { throughput } from './parts/throughput.ts';
import { reportText, type PartReport } from './report.ts';

/** Every part, in the order in which they run. */
const PARTS = { latency, cost, throughput, cpu, 'cold-start': coldStart, bundle, growth, contention };
/** The charts that docs/benchmarks.md shows. */
const CHARTS = fileURLToPath(new URL('charts', import.meta.url));

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
  .option('--plot [directory]', 'write the charts of the chosen parts as SVG; without a directory to bench/charts')
  .addHelpText('after', HELP)
  .action(async (names: string[], { runs, json, plot }: { runs: number; json?: true; plot?: string | true }) => {
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
    if (plot !== undefined) await writeCharts(reports, plot === true ? CHARTS : plot);
    if (json) process.stdout.write(`${JSON.stringify({ runs, parts: reports })}\n`);
  })
  .parseAsync();

/** Writes the charts of these reports. The drawing library is loaded only here. */
async function writeCharts(reports: readonly PartReport[], directory: string): Promise<void> {
  const { chartSvg } = await import('./plot.ts');
  mkdirSync(directory, { recursive: true });
  for (const { chart } of reports) if (chart) writeFileSync(join(directory, `${chart.name}.svg`), chartSvg(chart));
}
