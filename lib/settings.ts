import { DEFAULT_LOCAL_DEV_ORIGIN } from '../functions/contract.ts';

/** Where the stack can be deployed to. */
const STAGES = ['dev', 'staging', 'prod'] as const;
type Stage = (typeof STAGES)[number];

/** What differs from stage to stage. */
export interface StageSettings {
  readonly stage: Stage;
  /** Browser origin of the developer portal; undefined: none may read responses. */
  readonly portalOrigin: string | undefined;
  /** Browser origin of a portal under development. In prod absent unless set. */
  readonly localDevOrigin: string | undefined;
  /** How often the quota starts anew. */
  readonly quotaPeriod: 'month' | 'day';
}

/** Reads the settings of a stage from CDK context (`-c stage=prod -c portalOrigin=https://…`). Throws on an unknown value. */
export function stageSettings(context: (name: string) => unknown): StageSettings {
  const stage = STAGES.find((known) => known === (context('stage') ?? 'dev'));
  if (stage === undefined) throw new Error(`stage must be one of ${STAGES.join(', ')}.`);
  const quotaPeriod = context('quotaPeriod') ?? 'month';
  if (quotaPeriod !== 'month' && quotaPeriod !== 'day') throw new Error('quotaPeriod must be month or day.');
  return {
    stage,
    portalOrigin: text(context('portalOrigin')),
    // Set to nothing it is switched off, as it is for `npm start`.
    localDevOrigin: text(context('localDevOrigin') ?? (stage === 'prod' ? '' : DEFAULT_LOCAL_DEV_ORIGIN)),
    quotaPeriod,
  };
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
