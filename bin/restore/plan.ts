import {
  DeleteFunctionConcurrencyCommand,
  GetFunctionConcurrencyCommand,
  PutFunctionConcurrencyCommand,
  type LambdaClient,
} from '@aws-sdk/client-lambda';
import { isoTime, periodAt, readQuotaPeriod } from '../../functions/shared/time.ts';
import { noticesStackNameOf, portalStackNameOf } from '../../lib/stack-names.ts';
import { readStack, readStackOf } from '../admin/aws.ts';

/** A restore, from its command line and the deployed stacks. */
export type Plan = Awaited<ReturnType<typeof readPlan>>;

/** Reads the plan of a restore. Throws an error of one line for a stage that does not exist, or is a standby. */
export async function readPlan(stage: string, toMs: number) {
  const { output, has, account, region } = await readStackOf(stage);
  if (has('Standby')) {
    throw new Error(`${stage} is a standby, in which nothing may run. Restore the stage of the region that serves.`);
  }
  const portal = await readStack(portalStackNameOf(stage));
  const notices = await readStack(noticesStackNameOf(stage));
  const atMs = toMs - (toMs % 1_000);
  const moment = isoTime(atMs).replace('.000Z', 'Z');
  const quotaPeriod = readQuotaPeriod('QuotaPeriod', output('QuotaPeriod'));
  // Their names follow from stage and moment, so that another run finds them.
  const suffix = `${stage}-${moment.replaceAll(/[-:Z]/g, '').replace('T', '-')}`;
  const source = { gateway: output('GatewayTableName'), usage: output('UsageTableName') };
  /** A function with the table that it was deployed with, and its reserved concurrency; 0: none. */
  const worker = (functionName: string, table: string, concurrency = '0') => ({
    functionName,
    table,
    concurrency: Number(concurrency),
  });
  const of = portal?.output;
  const workers = [
    worker(output('MeteredFunctionName'), source.gateway),
    worker(output('HealthFunctionName'), source.gateway),
    ...(of ? [worker(of('PortalFunctionName'), of('PortalGatewayTableName'), of('PortalConcurrency'))] : []),
    ...(notices ? [worker(notices.output('NoticesFunctionName'), notices.output('NoticesGatewayTableName'))] : []),
  ];
  return {
    stage,
    moment,
    source,
    workers,
    quotaPeriod,
    periodId: periodAt(atMs, quotaPeriod).id,
    target: { gateway: `Gateway-${suffix}`, usage: `Usage-${suffix}` },
    place: `${stage.toUpperCase()}, account ${account}, ${region}`,
  };
}

/** Stops functions: callers get 503, and what calls them by itself waits. Throws an error of one line. */
export async function stop(client: LambdaClient, workers: Plan['workers']): Promise<void> {
  for (const { functionName: FunctionName } of workers) {
    const stopped = new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 });
    await client.send(stopped).catch((error: unknown) => {
      if (!(error instanceof Error && error.name === 'InvalidParameterValueException')) throw error;
      const next = 'Set provisionedConcurrency to 0, deploy, and run this again.';
      throw new Error(`${FunctionName} cannot be stopped (${error.message}). ${next}`, { cause: error });
    });
  }
}

/** Starts functions again, with the concurrency of the settings; one that was not stopped is unchanged. */
export async function start(client: LambdaClient, workers: Plan['workers']): Promise<void> {
  for (const { functionName: FunctionName, concurrency } of workers) {
    const present = await client.send(new GetFunctionConcurrencyCommand({ FunctionName }));
    if (present.ReservedConcurrentExecutions !== 0) continue;
    await (concurrency === 0
      ? client.send(new DeleteFunctionConcurrencyCommand({ FunctionName }))
      : client.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: concurrency })));
  }
}
