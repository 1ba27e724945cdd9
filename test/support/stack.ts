import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const PROD = { stage: 'prod', portalOrigin: 'https://portal.example.com' };

/** A CloudFormation template, as synthesised. */
export interface StackTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
}
interface Resource {
  readonly Type: string;
  readonly Properties: object;
  readonly DependsOn?: string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}
export interface SynthesisedStage {
  readonly data: StackTemplate;
  readonly gateway: StackTemplate;
  readonly dataStackProtected: boolean;
}

/** Synthesises stages, by name. In a process of its own: the CDK loads five times slower within jest. */
export function synthesise<Name extends string>(
  contexts: Readonly<Record<Name, Readonly<Record<string, string | number>>>>,
): Record<Name, SynthesisedStage> {
  const script = fileURLToPath(new URL('synthesise.ts', import.meta.url));
  const output = execFileSync(process.execPath, [script], {
    input: JSON.stringify(contexts),
    // What it says on stderr is part of the error when it fails.
    stdio: 'pipe',
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(output) as Record<Name, SynthesisedStage>;
}

/** The resources of a type, by logical id. */
export const resourcesOf = ({ Resources }: StackTemplate, type: string): [string, Resource][] =>
  Object.entries(Resources).filter(([, { Type }]) => Type === type);

/** The properties of the resources of a type. */
export const propertiesOf = <Properties = object>(template: StackTemplate, type: string): Properties[] =>
  resourcesOf(template, type).map(([, { Properties }]) => Properties as Properties);

/** A statement of an IAM policy. */
export interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Principal?: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | string[]>>>>;
}

/** The statements of the policies of one function's role. */
export const statementsOf = (template: StackTemplate, functionName: 'Health' | 'Ping'): Statement[] =>
  resourcesOf(template, 'AWS::IAM::Policy')
    .filter(([id]) => id.startsWith(`${functionName}Role`))
    .flatMap(
      ([, { Properties }]) => (Properties as { PolicyDocument: { Statement: Statement[] } }).PolicyDocument.Statement,
    );

/** The actions of a statement, as a list. */
export const actionsOf = ({ Action }: Statement): string[] => [Action].flat();
