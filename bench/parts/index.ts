import type { BenchPart } from '../part.ts';
import { contention } from './contention.ts';
import { cost } from './cost.ts';
import { latency } from './latency.ts';
import { throughput } from './throughput.ts';

/** Every part, in the order in which they run. */
export const PARTS: Readonly<Record<string, BenchPart>> = { latency, cost, throughput, contention };
