import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Resources of a template, by logical id. */
export type Resources = Readonly<Record<string, { readonly Type: string; readonly Properties?: Properties }>>;
export type Properties = Readonly<Record<string, unknown>>;

/** A synthesised stack. */
export interface SynthesisedStack {
  readonly name: string;
  /** Undefined: the deployer's region. */
  readonly region: string | undefined;
  /** Whether CloudFormation shall refuse to delete it. */
  readonly isProtected: boolean;
  readonly resources: Resources;
}

interface Manifest {
  readonly artifacts: Readonly<
    Record<
      string,
      {
        readonly type: string;
        /** `aws://<account>/<region>`, each of which may be unknown. */
        readonly environment?: string;
        readonly properties?: {
          readonly templateFile: string;
          readonly stackName?: string;
          readonly terminationProtection?: boolean;
        };
      }
    >
  >;
}

/** Reads the stacks of a cloud assembly, as the CDK has written it into a folder. */
export async function readAssembly(directory: string): Promise<SynthesisedStack[]> {
  const read = async (file: string): Promise<unknown> => JSON.parse(await readFile(join(directory, file), 'utf8'));
  const { artifacts } = (await read('manifest.json')) as Manifest;
  const stacks = Object.entries(artifacts).map(async ([id, { type, environment = '', properties }]) => {
    if (type !== 'aws:cloudformation:stack' || properties === undefined) return [];
    const { Resources = {} } = (await read(properties.templateFile)) as { Resources?: Resources };
    const region = environment.split('/').at(-1);
    return {
      name: properties.stackName ?? id,
      region: region === 'unknown-region' ? undefined : region,
      isProtected: properties.terminationProtection ?? false,
      resources: Resources,
    };
  });
  return (await Promise.all(stacks)).flat();
}

/** The settings of a client, for the region of a stack. */
export const inRegionOf = <Settings extends object>(stack: SynthesisedStack | undefined, settings: Settings) => ({
  ...settings,
  ...(stack?.region !== undefined && { region: stack.region }),
});

/** The resources of a type, by logical id. */
export const ofType = (resources: Resources, type: string): [string, Properties][] =>
  Object.entries(resources)
    .filter(([, { Type }]) => Type === type)
    .map(([id, { Properties = {} }]) => [id, Properties]);
