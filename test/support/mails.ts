import { randomUUID } from 'node:crypto';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { requireAddressKey } from '../../functions/accounts/mail/address-key.ts';
import {
  mailStop,
  readStopToken,
  stopMails,
  stopToken,
  type MailScope,
} from '../../functions/accounts/mail/mailed-addresses.ts';
import { readMailStates } from '../../functions/accounts/mail/mail-states.ts';
import { noticeItemKey } from '../../functions/accounts/store/notice-items.ts';
import type { Limits } from '../../functions/accounts/store/limits.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import type { Mailer, OutgoingMail } from '../../functions/notices/mail/mailer.ts';
import { MailHeldUpError } from '../../functions/notices/mail/ses-errors.ts';
import { onMail } from '../../functions/notices/mail/send-mail.ts';
import type { MailMessage } from '../../functions/notices/message.ts';
import { putItem } from './database.ts';
import { testGateway } from './gateway.ts';
import { testNotices } from './notices.ts';
import { itemsOf, ownAccount } from './people.ts';

/** A mailer that behaves as SES does. */
export function testMailer() {
  const mailer = {
    taken: [] as OutgoingMail[],
    /** So many of the next mails are refused because they come too fast. */
    throttled: 0,
    /** Addresses for which SES does not take the mail at all. */
    refused: new Set<string>(),
    send: (mail: OutgoingMail): ReturnType<Mailer['send']> => {
      if (mailer.throttled > 0) {
        mailer.throttled--;
        return Promise.reject(new MailHeldUpError('later', 'TooManyRequestsException'));
      }
      if (mailer.refused.has(mail.to))
        return Promise.resolve({ outcome: 'refused', reason: 'MessageRejected' } as const);
      mailer.taken.push(mail);
      return Promise.resolve({ outcome: 'taken', messageId: 'm1' } as const);
    },
  };
  return mailer;
}

/** The sender of mails on the real engine, with the permissions of the notices function. It puts nothing back. */
export function testSender(store: AccountStore, mailer: Mailer | undefined) {
  const never = (): never => {
    throw new Error('not for mails');
  };
  const queues = { mail: { send: never }, webhooks: { send: never }, daily: { send: never } };
  const { dependencies } = testNotices({ store }, { queues, mailer, deliver: never, stage: 'dev' });
  const send = (message: MailMessage): Promise<void> => onMail(dependencies, message);
  return {
    dependencies,
    send,
    /** Tries again as the queue does, until it is done. */
    sendUntilDone: async (message: MailMessage): Promise<void> => {
      for (;;) {
        try {
          await send(message);
          return;
        } catch {
          // Another attempt has it now.
        }
      }
    },
  };
}

/** The mails of a scope to an address, as what ends them names them; and the query of the link that does. */
export async function stopOfMails(store: AccountStore, email: string, scope: MailScope) {
  const key = await requireAddressKey(store);
  const stop = mailStop(key, email, scope);
  return { ...stop, query: new URLSearchParams({ token: stopToken(key, stop) }).toString() };
}

/** The message of the last audit event of an action, to a member. */
export async function messageOf(
  store: AccountStore,
  { accountId, action, to }: { readonly accountId: string; readonly action: string; readonly to: MailMessage['to'] },
): Promise<MailMessage> {
  const events = await itemsOf({ store }, `ACCOUNT#${accountId}`);
  const event = events.findLast(
    (item) =>
      item.action === action && (action !== 'member.add' || !('memberId' in to) || item.memberId === to.memberId),
  );
  if (!event) throw new Error(`no ${action}`);
  return { kind: 'mail', source: { accountId, sk: String(event.sk) }, to };
}

/** An address that no other test writes to. */
export const newAddress = (): string => `${randomUUID()}@example.com`;

/** Limits that many invitations do not reach. */
export const MANY_INVITATIONS = { invitationsPerAddress: 1_000, membersPerAccount: 1_000, accountsPerPerson: 1_000 };

/** An account with an owner, the sender of its mails and what SES has taken of them. */
export async function mailScene(limits: Partial<Limits> = {}) {
  const gateway = testGateway();
  const mailer = testMailer();
  const { accountId, store, owner } = await ownAccount(gateway, { limits });
  const sender = testSender(gateway.store, mailer);
  const ownerId = store.caller?.membership?.memberId ?? '';
  let projects = 0;
  return {
    gateway,
    mailer,
    sender,
    accountId,
    store,
    owner,
    ownerId,
    /** Invites an address, by default on behalf of the owner; the message is that of the mail. */
    invite: async (email = newAddress(), by = store, of = accountId) => {
      const memberId = await inviteMember(by, of, { email, role: 'member' });
      const message = await messageOf(gateway.store, { accountId: of, action: 'member.add', to: { memberId } });
      return { email, memberId, message };
    },
    stateOf: async (memberId: string, of = accountId) =>
      (await readMailStates(gateway.store, of, [memberId])).get(memberId),
    /** A marker that a share of a limit is used, as the notifier makes it; the message is that of the mail to an owner. */
    marked: async (thresholdPercent: number, to = ownerId, project = `P${projects++}`): Promise<MailMessage> => {
      const key = noticeItemKey.marker(accountId, `QUOTA#2026-11#${project}#${thresholdPercent}#100`);
      const data = { thresholdPercent, units: thresholdPercent, unitsLimit: 100, period: '2026-11' };
      const at = '2026-11-21T08:30:00.000Z';
      const Item = { ...key, type: 'quota.threshold_reached', at, accountId, projectId: project, data };
      await putItem(gateway.store, Item);
      return { kind: 'mail', source: { accountId, sk: key.sk }, to: { memberId: to } };
    },
  };
}

/** The token in a mail's link that ends such mails. */
export function tokenIn(mail: OutgoingMail | undefined): string {
  const [, link = ''] = /<([^>]+)>/.exec(mail?.headers['List-Unsubscribe'] ?? '') ?? [];
  return new URL(link).searchParams.get('token') ?? '';
}

/** Follows a mail's link that ends such mails. */
export async function stopBy(store: AccountStore, mail: OutgoingMail | undefined) {
  const stop = await readStopToken(store, tokenIn(mail));
  if (!stop) throw new Error('no token');
  await stopMails(store, stop);
  return stop;
}

/** What SES tells of a mail that came back, or is a nuisance. */
export const returned = (
  eventType: 'Bounce' | 'Complaint',
  email: string,
  tags: Readonly<Record<string, string>> = {},
  details: object = eventType === 'Bounce' ? { bounce: { bounceType: 'Permanent' } } : { complaint: {} },
) => ({
  eventType,
  mail: {
    destination: [email],
    tags: Object.fromEntries(Object.entries(tags).map(([name, value]) => [name, [value]])),
  },
  ...details,
});
