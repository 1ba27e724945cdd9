import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';

/** The beginning of an alarm's text; a pager's subscription can filter by it. */
export const urgencyText = (pages: boolean): string => (pages ? 'PAGE.' : 'TOMORROW.');

/** One alarm: its metric, and the text of its mail. */
export interface AlarmDefinition {
  /** Many callers or people fail now, and no other alarm that pages implies it. Default: it can wait for the morning. */
  readonly pages?: boolean;
  readonly metric: IMetric;
  /** The alarm goes off at this value and above; with `goesOffBelow`, below it. Default: 1. */
  readonly threshold?: number;
  readonly goesOffBelow?: true;
  /** Default: {@link THREE_OF_FIVE}. */
  readonly over?: { readonly evaluationPeriods: number; readonly datapointsToAlarm: number };
  readonly meaning: string;
  readonly firstStep: string;
  /** What missing data means, and so why it is no alarm, or is one. Default: what the stack says of all its alarms. */
  readonly whenMissing?: string;
  /** For what must exist, such as a probe or a backup: missing data is an alarm. */
  readonly missingIsBad?: true;
  /** Only a version can set it off, and never a caller: it rolls a deployment back. */
  readonly rollsBack?: true;
  /** Its metric is in us-east-1: an alarm can read only the metrics of its own region. */
  readonly atTheEdge?: true;
}

/** Three bad minutes of five: one bad minute must not wake anybody, and a bad canary must be noticed within ten. */
export const THREE_OF_FIVE = { evaluationPeriods: 5, datapointsToAlarm: 3 };
export const TWO_OF_THREE = { evaluationPeriods: 3, datapointsToAlarm: 2 };
/** For periods of several minutes: a single bad period is no alarm. */
export const TWO_OF_TWO = { evaluationPeriods: 2, datapointsToAlarm: 2 };
export const ONE_OF_ONE = { evaluationPeriods: 1, datapointsToAlarm: 1 };

export const NO_REQUESTS = 'No data means no requests, which is no failure.';
export const NOTHING_COUNTED = 'No data is the normal state: it is counted only when it happens.';
