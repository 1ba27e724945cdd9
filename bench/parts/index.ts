import type { BenchPart } from '../part.ts';
import { bundle } from './bundle.ts';
import { coldStart } from './cold-start.ts';
import { contention } from './contention.ts';
import { cost } from './cost.ts';
import { cpu } from './cpu.ts';
import { growth } from './growth.ts';
import { latency } from './latency.ts';
import { throughput } from './throughput.ts';

/** Every part, in the order in which they run. */
export const PARTS: Readonly<Record<string, BenchPart>> = {
  latency,
  cost,
  throughput,
  cpu,
  'cold-start': coldStart,
  bundle,
  growth,
  contention,
};
