import { isoTime } from '../../functions/core/clock.ts';
import { periodAt, readQuotaPeriod } from '../../functions/core/period.ts';
import type { TableNames } from '../../functions/store/items.ts';
import { portalStackNameOf, PORTAL_STACK_OUTPUTS, STACK_OUTPUTS, type Stage } from '../../functions/wiring.ts';
import { readStack, readStage } from '../admin/aws.ts';

/** A function that writes to the tables or reads them. */
export interface Writer {
  readonly functionName: string;
  /** The reserved concurrency in the settings; 0: none. */
  readonly concurrency: number;
  /** The table of state that the function, or its stack, uses. */
  readonly table: string;
}

/** A restore, from its command line and the deployed stacks. */
export interface Plan {
  readonly stage: Stage;
  /** The moment, to the second. */
  readonly atMs: number;
  /** The stage's present tables. */
  readonly source: TableNames;
  /** The restored tables. Their names follow from stage and moment, so that another run finds them. */
  readonly target: TableNames;
  readonly writers: readonly Writer[];
  readonly quotaPeriod: 'month' | 'day';
  /** The quota period of the moment. */
  readonly periodId: string;
  /** For questions: `PROD, account 123456789012, eu-central-1`. */
  readonly place: string;
}

/** A moment to the second, as `--to` takes it. */
export const momentOf = (atMs: number): string => isoTime(atMs).replace('.000Z', 'Z');

/** Reads the plan of a restore. Throws an error of one line when the stage does not exist. */
export async function readPlan(stage: Stage, toMs: number): Promise<Plan> {
  const [gateway, portal] = await Promise.all([readStage(stage), readStack(portalStackNameOf(stage))]);
  const { output, account, region } = gateway;
  const atMs = toMs - (toMs % 1_000);
  const moment = isoTime(atMs)
    .replaceAll(/[-:]|\..*/g, '')
    .replace('T', '-');
  const quotaPeriod = readQuotaPeriod(STACK_OUTPUTS.quotaPeriod, output(STACK_OUTPUTS.quotaPeriod));
  const source = { gateway: output(STACK_OUTPUTS.gatewayTableName), usage: output(STACK_OUTPUTS.usageTableName) };
  const ofGateway = { concurrency: 0, table: source.gateway };
  return {
    ...{ stage, atMs, source, quotaPeriod },
    target: { gateway: `Gateway-${stage}-${moment}`, usage: `Usage-${stage}-${moment}` },
    writers: [
      { functionName: output(STACK_OUTPUTS.meteredFunctionName), ...ofGateway },
      { functionName: output(STACK_OUTPUTS.healthFunctionName), ...ofGateway },
      ...(portal
        ? [
            {
              functionName: portal.output(PORTAL_STACK_OUTPUTS.functionName),
              concurrency: Number(portal.output(PORTAL_STACK_OUTPUTS.concurrency)),
              table: portal.output(PORTAL_STACK_OUTPUTS.gatewayTableName),
            },
          ]
        : []),
    ],
    periodId: periodAt(atMs, quotaPeriod).id,
    place: `${stage.toUpperCase()}, account ${account}, ${region}`,
  };
}
