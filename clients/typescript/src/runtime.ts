/** What runs this: Node, Deno, Bun, a worker at an edge, or a browser. Each may lack any of it. */
interface Runtime {
  readonly process?: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly versions?: { readonly node?: string; readonly bun?: string };
  };
  readonly Deno?: { readonly version: { readonly deno: string } };
  readonly navigator?: { readonly userAgent?: string; readonly product?: string };
}
const runtime = globalThis as Runtime;

/** Also where a server has taken its name: a page, a worker of a browser, an app of React Native. */
export function isBrowser(): boolean {
  const { userAgent = '', product } = runtime.navigator ?? {};
  return 'document' in globalThis || userAgent.startsWith('Mozilla/') || product === 'ReactNative';
}

/** Whether a fetch sends `Accept-Encoding` as it is told to. Others set their own, and decompress what comes. */
export const setsAcceptEncoding = (): boolean => !isBrowser() && runtime.process?.versions?.node !== undefined;

/** A variable of the environment; undefined where there is none, or it may not be read. */
export function fromEnvironment(name: string): string | undefined {
  try {
    return runtime.process?.env?.[name];
  } catch {
    return undefined;
  }
}

/** The program that runs this, as `node/24.1.0`. */
export function runtimeName(): string {
  const { node, bun } = runtime.process?.versions ?? {};
  if (runtime.Deno) return `deno/${runtime.Deno.version.deno}`;
  if (bun !== undefined) return `bun/${bun}`;
  return node === undefined ? 'edge' : `node/${node}`;
}
