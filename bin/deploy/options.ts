import { parseArgs } from 'node:util';

/** The options that `npm run deploy` itself reads. All options are passed on to the CDK. */
export interface DeployOptions {
  readonly help: boolean;
  readonly profile: string | undefined;
  readonly proxy: string | undefined;
  /** Each `name=value` of `-c`. */
  readonly context: readonly string[];
  /** No questions: `--yes`, or `--require-approval never`. */
  readonly isAnswered: boolean;
  /** Whether this project's stacks are deployed now: no other app, no mere change set, no watching of files. */
  readonly isDeployment: boolean;
  /** Whether the command line chooses the change sets. */
  readonly namesMethod: boolean;
}

/** Reads the options. The CDK refuses unknown options, and options without a value. */
export function readOptions(args: readonly string[]): DeployOptions {
  const { values } = parseArgs({
    args: [...args],
    strict: false,
    options: {
      profile: { type: 'string' },
      proxy: { type: 'string' },
      context: { type: 'string', short: 'c', multiple: true },
      help: { type: 'boolean', short: 'h' },
      yes: { type: 'boolean', short: 'y' },
      'require-approval': { type: 'string' },
      app: { type: 'string', short: 'a' },
      method: { type: 'string', short: 'm' },
      execute: { type: 'string' },
    },
  });
  return {
    help: values.help === true,
    profile: textOf(values.profile),
    proxy: textOf(values.proxy),
    context: (values.context ?? []).filter(isText),
    namesMethod: values.method !== undefined || values['change-set-name'] !== undefined,
    isAnswered: values.yes === true || values['require-approval'] === 'never',
    isDeployment:
      values.app === undefined &&
      values.watch === undefined &&
      values['no-execute'] === undefined &&
      values.execute !== 'false' &&
      !['prepare-change-set', 'execute-change-set'].includes(textOf(values.method) ?? ''),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const textOf = (value: unknown): string | undefined => (isText(value) ? value : undefined);
