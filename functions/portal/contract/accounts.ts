import * as v from 'valibot';
import { Named } from './fields.ts';
import { AccountId, MemberId } from './ids.ts';
import { CREATION_CODES, Empty, type PortalOperation } from './operation.ts';
import { GivenName, GivenRole } from './values.ts';

/** An account, with the role of the caller. */
export const Account = v.strictObject({ accountId: AccountId, name: GivenName, role: GivenRole });

/** The same for its member, who has an id among its members. */
export const OwnAccount = v.strictObject({ ...Account.entries, memberId: MemberId });
export type OwnAccount = v.InferOutput<typeof OwnAccount>;

/** Accounts. */
export const accountContract = {
  /** The caller becomes its owner. It has no project yet. */
  createAccount: {
    route: 'POST /api/accounts',
    by: 'person',
    isRepeatable: true,
    body: Named,
    answers: { 201: v.strictObject({ accountId: AccountId }) },
    refuses: CREATION_CODES,
  },
  updateAccount: { route: 'PATCH /api/accounts/{accountId}', by: 'owner', body: Named, answers: { 200: Account } },
  /** It and its projects are closed together: their keys are refused from the next request on. */
  closeAccount: { route: 'DELETE /api/accounts/{accountId}', by: 'owner', answers: { 204: Empty } },
} as const satisfies Record<string, PortalOperation>;
