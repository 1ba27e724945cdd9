import type { AccountStore } from '../../functions/accounts/account-store.ts';

/**
 * Does something else right before the next calls of a command (default: one) reach the store. Those calls fail if it
 * fails.
 */
export function before(
  { store: { client } }: { readonly store: AccountStore },
  commandName: string,
  meanwhile: () => Promise<unknown>,
  times = 1,
): void {
  let left = times;
  // The other action may use the same command.
  let busy = false;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName === commandName && left > 0 && !busy) {
        left--;
        busy = true;
        await meanwhile().finally(() => (busy = false));
      }
      return next(args);
    },
    { step: 'initialize', name: `before${commandName}` },
  );
}
