import * as v from 'valibot';
import { AccountId, MemberId } from './ids.ts';
import { Named } from './requests/fields.ts';
import { CHANGE_CODES, CREATION_CODES, Empty, OWNERS_CHANGE_CODES, type PortalOperation } from './route.ts';
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
    isRepeatable: true,
    body: Named,
    answers: { 201: v.strictObject({ accountId: AccountId }) },
    refuses: [...CHANGE_CODES, ...CREATION_CODES],
  },
  updateAccount: { body: Named, answers: { 200: Account }, refuses: OWNERS_CHANGE_CODES },
  /** It and its projects are closed together: their keys are refused from the next request on. */
  closeAccount: { answers: { 204: Empty }, refuses: OWNERS_CHANGE_CODES },
} as const satisfies Record<string, PortalOperation>;
