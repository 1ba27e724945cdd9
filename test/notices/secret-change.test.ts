import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { requireAddressKey, resealAddressKey } from '../../functions/accounts/mail/address-key.ts';
import { createAccount } from '../../functions/accounts/team/accounts.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { readStopToken, stopMails, stopOf } from '../../functions/accounts/mail/mailed-addresses.ts';
import { onMailEvent } from '../../functions/notices/mail/mail-events.ts';
import { readKeyTagSecrets } from '../../functions/shared/credentials/api-key.ts';
import { ownTables } from '../support/books-by-hand.ts';
import { interleaved } from '../support/overtaking.ts';
import { messageOf, newAddress, returned, stopBy, testMailer, testSender, tokenIn } from '../support/mails.ts';
import { testNotices } from '../support/notices.ts';
import { itemsOf } from '../support/people.ts';
import { noteSecret } from '../support/secrets/journal.ts';

const secret = (): string => {
  const text = randomUUID() + randomUUID();
  noteSecret('secret of key tags', text);
  return text;
};

/** A stage of its own, deployed with one text of the secret after another. */
async function scene() {
  const { client, store: operator } = await ownTables();
  const mailer = testMailer();
  const accountId = await createAccount(operator, { name: 'Trips', email: null });
  const deployed = (...secrets: string[]) => {
    const read = readKeyTagSecrets('SECRETS', secrets.join(','));
    const store: AccountStore = { ...operator, keyTagSecrets: () => Promise.resolve(read) };
    const sender = testSender(store, mailer);
    return {
      store,
      hour: () => testNotices({ store }).hour(),
      bounce: (email: string) => onMailEvent(sender.dependencies, returned('Bounce', email)),
      invite: async (email: string) => {
        const other = await createAccount(store, { name: 'Trips', email: null });
        const memberId = await inviteMember(store, other, { email, role: 'member' });
        await sender.send(await messageOf(store, { accountId: other, action: 'member.add', to: { memberId } }));
      },
    };
  };
  const lastToken = (): string => tokenIn(mailer.taken.at(-1));
  return { client, operator, accountId, mailer, deployed, lastToken };
}
const keyItems = async (store: AccountStore) => itemsOf({ store }, 'MAILED#KEY');

describe('a change of the secret of the stage', () => {
  test('ends no stop, no bounce and no link that stops mails', async () => {
    const { client, mailer, deployed, lastToken } = await scene();
    const [old, next] = [secret(), secret()];
    const [stopped, bounced, later] = [newAddress(), newAddress(), newAddress()];
    const first = deployed(old);
    await first.invite(stopped);
    await stopBy(first.store, mailer.taken.at(-1));
    await first.bounce(bounced);
    await first.invite(later);
    const link = lastToken();
    for (const step of [deployed(old, next), deployed(next, old), deployed(next)]) {
      await step.hour();
      mailer.taken.length = 0;
      const reachable = newAddress();
      for (const email of [stopped, bounced, reachable]) await step.invite(email);
      expect(mailer.taken.map(({ to }) => to)).toEqual([reachable]);
    }
    const last = deployed(next).store;
    const late = await readStopToken(last, link);
    expect(late?.scope).toBe('invitations');
    if (late) await stopMails(last, late);
    expect(late && (await stopOf(last, late.hash, late))).toBe('stopped');
    mailer.taken.length = 0;
    await deployed(next).invite(later);
    expect(mailer.taken).toEqual([]);
    client.destroy();
  });

  test('that is too quick for the hourly run sends nothing to anybody, until the old secret is back for an hour', async () => {
    const { client, mailer, deployed, lastToken } = await scene();
    const [old, next] = [secret(), secret()];
    const email = newAddress();
    await deployed(old).invite(email);
    const token = lastToken();
    mailer.taken.length = 0;
    const quick = deployed(next);
    await expect(quick.invite(newAddress())).rejects.toThrow('the key of addresses');
    await expect(quick.hour()).rejects.toThrow('the key of addresses');
    await expect(readStopToken(quick.store, token)).rejects.toThrow('the key of addresses');
    expect(mailer.taken).toEqual([]);
    await deployed(next, old).hour();
    await quick.hour();
    await quick.invite(newAddress());
    expect(mailer.taken).toHaveLength(1);
    expect(await readStopToken(quick.store, token)).toBeDefined();
    client.destroy();
  });
});

describe('the key of addresses', () => {
  test('is one, whoever makes it first', async () => {
    const { client, operator } = await scene();
    const slow = testNotices({ store: operator });
    const make = () => requireAddressKey(operator);
    const [one, other] = await interleaved(slow.client, 2, () => requireAddressKey(slow.dependencies.store), make);
    expect(other?.equals(one)).toBe(true);
    expect((await make()).equals(one)).toBe(true);
    client.destroy();
  });

  test('stays when it is sealed anew by many at once, and is in no item in clear', async () => {
    const { client, deployed } = await scene();
    const [old, next] = [secret(), secret()];
    const key = await requireAddressKey(deployed(old).store);
    const { store } = deployed(next, old);
    const before = await keyItems(store);
    expect(await resealAddressKey(deployed(old, next).store)).toBe(false);
    await Promise.all(Array.from({ length: 10 }, () => resealAddressKey(store)));
    expect(await keyItems(store)).not.toEqual(before);
    expect(await resealAddressKey(store)).toBe(false);
    expect((await requireAddressKey(deployed(next).store)).equals(key)).toBe(true);
    const [{ sealed } = {}] = await keyItems(store);
    expect(Buffer.from(sealed as Uint8Array).includes(key.export())).toBe(false);
    client.destroy();
  });
});
