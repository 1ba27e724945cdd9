/** `npm run bench`: how fast and how cheap, in figures and in ratios to the peer. Gates nothing; loopback only. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { isColourful } from '../bin/admin/text.ts';
import type { BenchPart } from './part.ts';
import { bundle } from './parts/bundle.ts';
import { coldStart } from './parts/cold-start.ts';
import { contention } from './parts/contention.ts';
import { cost } from './parts/cost.ts';
import { cpu } from './parts/cpu.ts';
import { growth } from './parts/growth.ts';
import { latency } from './parts/latency.ts';
import { throughput } from './parts/throughput.ts';
import { reportJson, reportText, type PartReport } from './report.ts';

/** Every part, in the order in which they run. */
const PARTS = { latency, cost, throughput, cpu, 'cold-start': coldStart, bundle, growth, contention };
const DEFAULT_RUNS = 5;
const MAX_RUNS = 1_000;
/** The charts that docs/benchmarks.md shows. */
const CHARTS = fileURLToPath(new URL('charts', import.meta.url));

interface Options {
  readonly runs: number;
  readonly json?: true;
  /** Where to write charts. */
  readonly plot?: string | true;
}

const PART_LINES = Object.entries(PARTS).map(([name, { measures }]) => `  ${name.padEnd(12)}${measures}`);
const HELP = `
Parts:
${PART_LINES.join('\n')}

Figures are medians, with quartiles in parentheses. A ratio compares what was measured in turns in the same run.
Exit status: 0 measured, targets reached or not; 1 something does not work.`;

const program = new Command('bench')
  .description('Measures the gateway beside its peer (bench/peer). Without names it runs every part.')
  .argument('[parts...]', Object.keys(PARTS).join(', '), readPart, [])
  .option('--runs <n>', 'how often to repeat, more for a noisy machine', readRuns, DEFAULT_RUNS)
  .option('--json', 'print one JSON object')
  .option('--plot [directory]', 'write the charts of the chosen parts as SVG; without a directory to bench/charts')
  .addHelpText('after', HELP)
  .exitOverride()
  .action(async (names: string[]) => {
    const { runs, json, plot } = program.opts<Options>();
    const reports: PartReport[] = [];
    for (const [name, part] of Object.entries(PARTS)) {
      if (names.length > 0 && !names.includes(name)) continue;
      const report = await runPart(name, part, runs);
      if (!json) process.stdout.write(reportText(report));
      reports.push(report);
    }
    if (plot !== undefined) await writeCharts(reports, plot === true ? CHARTS : plot);
    if (json) process.stdout.write(`${JSON.stringify({ runs, parts: reports.map(reportJson) })}\n`);
  });

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode;
}

async function runPart(name: string, { title, measures, run }: BenchPart, runs: number): Promise<PartReport> {
  const startedAt = performance.now();
  const show = (text: string): void => {
    if (isColourful(process.stderr, process.env)) process.stderr.write(`\r\u001b[K${text}`);
  };
  try {
    const findings = await run({ runs, progress: (doing) => show(`${name}: ${doing}`) });
    return { part: name, title, measures, seconds: (performance.now() - startedAt) / 1_000, findings };
  } finally {
    show('');
  }
}

/** Writes the charts of these reports. The drawing library is loaded for those who want charts only. */
async function writeCharts(reports: readonly PartReport[], directory: string): Promise<void> {
  const { chartSvg } = await import('./plot.ts');
  mkdirSync(directory, { recursive: true });
  for (const chart of reports.flatMap(({ findings }) => findings.charts ?? [])) {
    writeFileSync(join(directory, `${chart.name}.svg`), chartSvg(chart));
  }
}

function readPart(name: string, earlier: string[]): string[] {
  if (!(name in PARTS)) throw new InvalidArgumentError(`There are ${Object.keys(PARTS).join(', ')}.`);
  return [...earlier, name];
}

function readRuns(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(value > 0 && value <= MAX_RUNS)) throw new InvalidArgumentError(`A whole number from 1 to ${MAX_RUNS}.`);
  return value;
}
