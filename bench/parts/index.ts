import type { BenchPart } from '../part.ts';

/** Every part, in the order in which they run. */
export const PARTS: Readonly<Record<string, BenchPart>> = {};
