import { foldedAddress } from '../../shared/address.ts';
import { keyedHash } from '../../shared/credentials/api-key.ts';
import { accountItemKey } from '../store/account-items.ts';
import type { AccountStore, Change } from '../store/account-store.ts';
import { counted, countedDay } from '../store/counters.ts';
import { RefusedError } from '../store/refusals.ts';
import { usedByUnderEach } from '../authority/used.ts';

/**
 * Counts an invitation of a person, in any account, as a part of that change. Withdrawing or declining it does not
 * reduce the count. So nobody hides the invitations of others behind many of their own. Only the secret of the stage
 * reveals which address and whose count it is.
 */
export async function countedInvitation(store: AccountStore, email: string): Promise<Change[]> {
  const { caller, clock } = store;
  if (!caller) return [];
  const { invitationsPerAddress: limit } = caller.limits;
  const { day, endEpochSeconds } = countedDay(clock.now());
  const line = `This person has invited the address ${limit} times today, as often as they may.`;
  return (await usedByUnderEach(store, caller)).map(({ secret, id }) => {
    const address = keyedHash(secret, 'invited address', [foldedAddress(email)]).toString('hex');
    const counter = { key: accountItemKey.invitedInDay(id, day, address), limit, endEpochSeconds };
    return counted(store, counter, () => new RefusedError(line, { code: 'LIMIT_REACHED', publicDetail: ALL_MADE }));
  });
}

const ALL_MADE =
  'You have invited this address as often today as you may, in all your accounts together, withdrawn and declined ' +
  'invitations included. Invite it again tomorrow (UTC).';
