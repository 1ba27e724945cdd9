import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { BUNDLING, ROOT } from '../lib/bundling.ts';
import { functionVariables, startProcess } from './processes.ts';
import { sumsBy } from './statistics.ts';

/** A bundle, made as those of the functions. */
export interface Bundle<N extends string = string> {
  readonly name: N;
  readonly file: string;
  readonly bytes: number;
  /** The bytes of each package in it, largest first; `own` is code of this repository. */
  readonly packages: readonly { readonly name: string; readonly sum: number }[];
}

/** A bundle of CommonJS libraries needs `require`, which an ES module has to create. */
export const PEER_HANDLER = 'bench/peer/handler.ts';
const REQUIRE = "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);";

/** Calls a function with bundles of modules of this repository, made with the settings of the stack. */
export async function withBundles<N extends string, T>(
  modules: Readonly<Record<N, string>>,
  work: (bundles: Record<N, Bundle<N>>) => T | Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-'));
  try {
    const bundles = Object.entries<string>(modules).map(([name, module]) => bundleOf(name, module, directory));
    const named = (await Promise.all(bundles)).map((made) => [made.name, made] as const);
    return await work(Object.fromEntries(named) as Record<N, Bundle<N>>);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Bundles a module into a file below a directory. */
export async function bundleOf(name: string, module: string, directory: string): Promise<Bundle> {
  const file = join(directory, name, 'index.mjs');
  const { metafile } = await build({
    ...BUNDLING,
    entryPoints: [module],
    banner: { js: module === PEER_HANDLER ? REQUIRE : '' },
    mainFields: [...BUNDLING.mainFields],
    external: [...BUNDLING.external],
    absWorkingDir: ROOT,
    outfile: file,
    bundle: true,
    metafile: true,
    logLevel: 'silent',
  });
  const output = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint !== undefined);
  const amounts = Object.entries(output?.inputs ?? {}).map(
    ([input, { bytesInOutput }]) => [packageOf(input), bytesInOutput] as const,
  );
  return { name, file, bytes: output?.bytes ?? NaN, packages: sumsBy(amounts) };
}

const packageOf = (input: string): string => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? 'own';

/** A cold start: the time and the CPU time of the load and of the first two calls. */
export type Start = Readonly<Record<`${'load' | 'firstCall' | 'secondCall'}${'Ms' | 'CpuMs'}`, number>>;

/** All processes run on one core, so that its speed and its other work are the same for each. */
const CORE = 0;

/** Loads a bundle in a fresh process, and calls its handler with at most two events. */
export async function startFresh(
  { name, file }: Bundle,
  events: unknown[],
  environment = functionVariables(),
): Promise<Start> {
  const args = [file, JSON.stringify(events)];
  const child = startProcess(new URL('start-process.mjs', import.meta.url), { args, environment, core: CORE });
  const start = await child.next<Start & { readonly failure?: string }>();
  await child.stop();
  if (start.failure !== undefined) throw new Error(`${name} failed: ${start.failure}`);
  return start;
}
