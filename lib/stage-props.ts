import { RemovalPolicy } from 'aws-cdk-lib';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';

/** What every construct of a stage may be told of it. */
export interface StageProps {
  /** Its name, which is part of other names and a dimension of each metric: `[a-z][a-z0-9]{0,15}`. */
  readonly stage: string;
  /** True: what is deleted by mistake stays or is refused, and alarms page. Default: false. */
  readonly production?: boolean;
  /** How long logs are kept. Default: a week. */
  readonly logRetention?: RetentionDays;
  /**
   * `canary`: a new version gets a tenth of the requests for ten minutes, and goes when an alarm goes off. `allAtOnce`:
   * all at once, whatever the alias says and alarms tell. Default: `allAtOnce`.
   */
  readonly deployment?: 'canary' | 'allAtOnce';
  /** False: there are neither alarms nor a dashboard, which cost more than an idle stage. Default: true. */
  readonly isWatched?: boolean;
  /** Prefixes of keys, with commas between, that of new keys first. Default: `svc`. */
  readonly keyPrefixes?: string;
  /** `on`: X-Ray traces the functions. Default: `off`. */
  readonly tracing?: 'on' | 'off';
  /** The address of the runbook, for the texts of alarms. Default: this repository's own. */
  readonly runbookUrl?: string;
  /** True: none of its functions may run, until another region is lost. Default: false. */
  readonly standby?: boolean;
}

/** What happens to a log when its stack is deleted: in production it stays. */
export const logRemovalPolicy = (production = false): RemovalPolicy =>
  production ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
