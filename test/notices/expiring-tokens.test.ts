import { describe, expect, test } from '@jest/globals';
import { createAccount } from '../../functions/accounts/team/accounts.ts';
import { updateThresholds } from '../../functions/accounts/team/notice-thresholds.ts';
import { createToken, revokeToken } from '../../functions/accounts/tokens/tokens.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { deleteItem } from '../support/database.ts';
import { markersOf, onOwnTables, testNotices } from '../support/notices.ts';
import { DAY_MS } from '../support/times.ts';

const gateway = onOwnTables();

async function account() {
  const accountId = await createAccount(gateway.store, { name: 'Test', email: null });
  // Nothing is found by a walk over all accounts.
  await deleteItem(gateway.store, itemKey.accountListing(accountId));
  const token = (days: number) =>
    createToken(gateway.store, accountId, { name: 'CI', scopes: ['keys:read'], lifetimeMs: days * DAY_MS });
  return { accountId, token, markers: () => markersOf(gateway, accountId) };
}

describe('a management token that will expire', () => {
  test('is told of 7 days before and 1 day before, once each, also in an account without projects', async () => {
    const { token, markers } = await account();
    const { tokenId } = await token(30);
    const seen: number[] = [];
    for (const days of [22, 1, 1, 4, 1, 1]) {
      gateway.clock.nowMs += days * DAY_MS;
      await testNotices(gateway).hour();
      seen.push((await markers()).length);
    }
    expect(seen).toEqual([0, 1, 1, 1, 2, 2]);
    expect(await markers()).toEqual([`MARK#TOKEN-EXPIRY#${tokenId}#1`, `MARK#TOKEN-EXPIRY#${tokenId}#7`]);
  });

  test('is told of on the days that the owners chose', async () => {
    const { accountId, token, markers } = await account();
    await updateThresholds(gateway.store, accountId, { days: [2, 20] });
    const { tokenId } = await token(30);
    gateway.clock.nowMs += 11 * DAY_MS;
    await testNotices(gateway).hour();
    expect(await markers()).toEqual([`MARK#TOKEN-EXPIRY#${tokenId}#20`]);
    gateway.clock.nowMs += 17 * DAY_MS;
    await testNotices(gateway).hour();
    expect(await markers()).toEqual([`MARK#TOKEN-EXPIRY#${tokenId}#2`, `MARK#TOKEN-EXPIRY#${tokenId}#20`]);
  });

  test('is not told of when it was revoked, or made for no longer', async () => {
    const { accountId, token, markers } = await account();
    const { tokenId } = await token(30);
    gateway.clock.nowMs += 23 * DAY_MS;
    await token(7);
    await token(1);
    await revokeToken(gateway.store, accountId, tokenId);
    await testNotices(gateway).hour();
    expect(await markers()).toEqual([]);
  });
});
