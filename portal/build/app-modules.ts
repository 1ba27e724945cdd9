import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../lib/bundling.ts';
import type { GatewayContract, GatewayError } from '../gateway/types.ts';
import type { ClientPackage } from './client-packages.ts';

export interface Sample {
  readonly language: string;
  readonly text: string;
}
interface Modules {
  readonly 'gateway/contract': { readonly CONTRACT: GatewayContract };
  readonly 'gateway/errors': { readonly ERRORS: readonly GatewayError[] };
  readonly 'gateway/packages': Readonly<Record<'TYPESCRIPT_PACKAGE' | 'PYTHON_PACKAGE', ClientPackage>>;
  readonly 'docs/samples': Readonly<Record<'installTypescript' | 'installPython', () => string>> & {
    readonly SAMPLES: readonly Sample[];
    readonly linesFor: (code: string, curl: string) => readonly Sample[];
  };
}

/** A module of the app. It is named by its path and never imported, since it may have yet to be generated. */
export const appModule = async <Path extends keyof Modules>(path: Path): Promise<Modules[Path]> =>
  (await import(pathToFileURL(join(ROOT, `portal/${path}.ts`)).href)) as Modules[Path];
