import { closeAccount } from '../../accounts/projects/account-closing.ts';
import { updateAccount } from '../../accounts/team/accounts.ts';
import { createOwnAccount } from '../../accounts/team/own-accounts.ts';
import { accountContract } from '../contract/accounts.ts';
import { serve } from '../serve/serve.ts';

/** Accounts. */
export const accountRoutes = [
  serve(accountContract.createAccount, async ({ store, person, input, idempotencyKey }) => ({
    accountId: await createOwnAccount(store, { name: input.name, person: person.user }, idempotencyKey),
  })),

  serve(accountContract.updateAccount, async ({ store, accountId, input }) => {
    const { name } = await updateAccount(store, accountId, input);
    // Only an owner reaches this line.
    return { accountId, name, role: 'owner' };
  }),

  serve(accountContract.closeAccount, ({ store, accountId }) => closeAccount(store, accountId)),
];
