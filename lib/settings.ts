import * as v from 'valibot';
import { keyPrefixesIn } from '../functions/shared/settings/key-prefixes.ts';
import { readNamed, SettingsError } from '../functions/shared/settings/named-value.ts';
import { STAGE_NAME } from './stack-names.ts';
import { isWatched, refuseContradictions } from './setting-contradictions.ts';
import { SETTINGS, type Setting, type SettingValues } from './setting-table.ts';
import { flag } from './setting-values.ts';
import type { StageProps } from './stage-props.ts';
import { STAGES } from './stages.ts';

/** The checked settings of one stage. */
export interface StageSettings extends SettingValues {
  readonly stage: string;
}

/** What every construct of the stage is told. */
export const stagePropsOf = (settings: StageSettings): Required<StageProps> => {
  const { stage, production, logRetentionDays: logRetention, deployment, tracing, runbookUrl, standby } = settings;
  const keyPrefixes = keyPrefixesIn(settings.keyPrefix, settings.formerKeyPrefixes ?? '').join(',');
  const isWatchedStage = isWatched(settings);
  return {
    stage,
    production,
    logRetention,
    deployment,
    isWatched: isWatchedStage,
    tracing,
    runbookUrl,
    standby,
    keyPrefixes,
  };
};

/** Context that is no setting. The CDK's, its CLI's and the team's own context has a `:` or a `/`, except these. */
const FOREIGN_NAMES: ReadonlySet<string> = new Set(['cli-telemetry', 'acknowledged-issue-numbers']);

const StageName = v.pipe(
  v.string('must be text.'),
  v.regex(STAGE_NAME, 'must be up to 16 lower-case letters and digits, a letter first.'),
);

/**
 * The settings of the stage in the CDK's context: the stage's own values, overridden by the context's. Throws {@link
 * SettingsError} with one line that says what to do.
 */
export function stageSettings(context: Readonly<Record<string, unknown>>): StageSettings {
  const stage = readNamed('stage', context.stage ?? 'dev', StageName);
  refuseUnknown(Object.keys(context), ['stage', ...Object.keys(SETTINGS)]);
  const given: Readonly<Record<string, unknown>> = { ...STAGES[stage], ...context };
  const production = readNamed('production', given.production ?? false, flag);
  const values = Object.fromEntries(
    Object.entries<Setting<v.GenericSchema>>(SETTINGS).map(([name, { schema, byDefault, inProduction }]) => [
      name,
      readNamed(name, given[name] ?? (production ? (inProduction ?? byDefault) : byDefault), schema),
    ]),
  ) as unknown as SettingValues;
  const settings = { stage, ...values };
  refuseContradictions(settings);
  return settings;
}

/** Refuses unknown names: an ignored `env=prod` would deploy dev. */
function refuseUnknown(names: readonly string[], known: readonly string[]): void {
  const isForeign = (name: string): boolean => /[/:]/.test(name) || FOREIGN_NAMES.has(name);
  const name = names.find((candidate) => !known.includes(candidate) && !isForeign(candidate));
  if (name !== undefined) throw new SettingsError(`There is no setting ${name}. The settings are ${known.join(', ')}.`);
}
