import type { AccountStore } from '../../functions/accounts/account-store.ts';
import type { Shell } from './shell.ts';
import { eventMeter } from './usage-meter.ts';

const NAME = 'showReading';

/**
 * Does what reads usage events for long before it has anything to print, and shows on a terminal how many are read
 * meanwhile.
 *
 * @param beside what else there is to tell on that line; `step` looks whether it is to be shown
 */
export async function showReading<T>(
  { client, tables, clock }: AccountStore,
  { stderr }: Pick<Shell, 'stderr'>,
  work: (step: () => void) => Promise<T>,
  beside?: () => string,
): Promise<T> {
  const meter = eventMeter(clock, stderr, beside);
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { ScannedCount = 0 } = result.output as { ScannedCount?: number };
      if ((args.input as { TableName?: string }).TableName === tables.usage) meter.add(ScannedCount);
      return result;
    },
    { step: 'initialize', name: NAME },
  );
  try {
    return await work(() => meter.add(0));
  } finally {
    client.middlewareStack.remove(NAME);
    meter.clear();
  }
}
