import { parseArgs } from 'node:util';

/** What `npm run deploy` itself reads of its command line, all of which goes on to the CDK. */
export interface DeployOptions {
  readonly help: boolean;
  readonly profile: string | undefined;
  readonly proxy: string | undefined;
  /** Each `name=value` of `-c`. */
  readonly context: readonly string[];
  /** Nobody is asked: `--yes`, or `--require-approval never`. */
  readonly isAnswered: boolean;
  /** The stacks of this project are deployed, now: no app of one's own, no mere change set, no watching of files. */
  readonly isDeployment: boolean;
  /** The command line says whether and which change sets are made. */
  readonly namesMethod: boolean;
}

/** Reads the options. One of which the value is forgotten is the CDK's to refuse, as is one that there is not. */
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
