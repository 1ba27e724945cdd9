import {
  DeleteFunctionConcurrencyCommand,
  GetFunctionConcurrencyCommand,
  PutFunctionConcurrencyCommand,
  type LambdaClient,
} from '@aws-sdk/client-lambda';
import type { Writer } from './plan.ts';

/** Whether a function is stopped: its reserved concurrency is 0. */
async function isStopped(client: LambdaClient, { functionName }: Writer): Promise<boolean> {
  const command = new GetFunctionConcurrencyCommand({ FunctionName: functionName });
  return (await client.send(command)).ReservedConcurrentExecutions === 0;
}

/** Stops functions: callers get 503. Throws an error of one line for a function with provisioned concurrency. */
export async function stop(client: LambdaClient, writers: readonly Writer[]): Promise<void> {
  for (const { functionName } of writers) {
    try {
      await client.send(
        new PutFunctionConcurrencyCommand({ FunctionName: functionName, ReservedConcurrentExecutions: 0 }),
      );
    } catch (error) {
      const isWarm = error instanceof Error && error.name === 'InvalidParameterValueException';
      if (!isWarm) throw error;
      const next = 'Set provisionedConcurrency to 0, deploy, and run this again.';
      throw new Error(`${functionName} cannot be stopped (${error.message}). ${next}`, { cause: error });
    }
  }
}

/** Starts a function again, with the concurrency of the settings; a function that was not stopped is unchanged. */
export async function start(client: LambdaClient, writer: Writer): Promise<void> {
  const { functionName: FunctionName, concurrency } = writer;
  if (!(await isStopped(client, writer))) return;
  await (concurrency === 0
    ? client.send(new DeleteFunctionConcurrencyCommand({ FunctionName }))
    : client.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: concurrency })));
}
