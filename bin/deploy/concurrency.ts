import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ofType, type SynthesisedStack } from './assembly.ts';
import type { Deployer } from './deployer.ts';

/** The number of executions that must stay unreserved in Lambda. With a smaller quota nothing can be reserved. */
const KEPT_FREE = 100;
const RAISE = 'have AWS raise it (Service Quotas, AWS Lambda, Concurrent executions)';

/** An account's quota of concurrent executions in a region. */
export interface Concurrency {
  readonly quota: number;
  /** The unreserved part. */
  readonly unreserved: number;
}

/** Asks Lambda. Rejects as the SDK does. */
export async function readConcurrency(deployer: Deployer): Promise<Concurrency> {
  const client = new LambdaClient(deployer);
  try {
    const { AccountLimit } = await client.send(new GetAccountSettingsCommand());
    const { ConcurrentExecutions: quota, UnreservedConcurrentExecutions: unreserved } = AccountLimit ?? {};
    if (quota === undefined || unreserved === undefined) throw new Error('Lambda does not say it');
    return { quota, unreserved };
  } finally {
    client.destroy();
  }
}

/**
 * Throws an error of one line when Lambda would refuse to reserve this much, which would fail a deployment halfway.
 * Returns a line when the alarm on the account's concurrency could never go off.
 *
 * @param reserved what the deployed stacks reserve already
 */
export function checkConcurrency(
  stacks: readonly SynthesisedStack[],
  reserved: number,
  { quota, unreserved }: Concurrency,
): string | undefined {
  const resources = (type: string) => stacks.flatMap((stack) => ofType(stack.resources, type));
  const wanted = sum(resources('AWS::Lambda::Function').map(([, it]) => Number(it.ReservedConcurrentExecutions ?? 0)));
  const keptFree = Math.min(KEPT_FREE, quota);
  if (wanted > reserved && unreserved - (wanted - reserved) < keptFree) {
    throw new Error(
      `portalConcurrency=${wanted} cannot be kept: the account may run ${quota} executions at once in this region, ` +
        `${unreserved} of them are kept for no function, and Lambda keeps ${keptFree} free. ` +
        `Set portalConcurrency to 0 for this stage, or ${RAISE}.`,
    );
  }
  const thresholds = resources('AWS::CloudWatch::Alarm').flatMap(([, { MetricName, Threshold }]) =>
    MetricName === 'ClaimedAccountConcurrency' ? [Number(Threshold)] : [],
  );
  const never = thresholds.find((threshold) => threshold > quota);
  return never === undefined
    ? undefined
    : `The alarm Concurrency waits for ${never} executions at once, and the account may run ${quota} in this region: ` +
        `it never goes off. Set concurrencyQuota to ${quota} for this stage, or ${RAISE}.`;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
