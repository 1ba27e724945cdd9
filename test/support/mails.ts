import type { AccountStore } from '../../functions/accounts/account-store.ts';
import { accountItemKey } from '../../functions/accounts/account-items.ts';
import { requireAddressKey } from '../../functions/accounts/mail/address-key.ts';
import { mailStop, stopToken, type MailScope } from '../../functions/accounts/mail/mailed-addresses.ts';
import type { NoticesDependencies } from '../../functions/notices/dependencies.ts';
import type { Mailer, OutgoingMail } from '../../functions/notices/mail/mailer.ts';
import { MailHeldUpError } from '../../functions/notices/mail/ses-errors.ts';
import { onMail } from '../../functions/notices/mail/send-mail.ts';
import type { MailMessage, Message } from '../../functions/notices/message.ts';
import { testNotices } from './notices.ts';
import { itemsOf } from './people.ts';

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

/**
 * The sender of mails on the real engine, with the permissions of the notices function, and with a queue that keeps
 * what is put back.
 */
export function testSender(store: AccountStore, mailer: Mailer | undefined) {
  const delayed: { readonly message: Message; readonly delaySeconds: number }[] = [];
  const never = (): never => {
    throw new Error('not for mails');
  };
  const queues: NoticesDependencies['queues'] = {
    mail: {
      send: (messages, delaySeconds = 0) => {
        delayed.push(...messages.map((message) => ({ message, delaySeconds })));
        return Promise.resolve();
      },
    },
    webhooks: { send: never },
  };
  const { dependencies } = testNotices({ store }, { queues, mailer, deliver: never, stage: 'dev' });
  const send = (message: MailMessage): Promise<void> => onMail(dependencies, message);
  return {
    dependencies,
    delayed,
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
    /** The messages of what was put back, which are due now. */
    due: (): MailMessage[] => delayed.splice(0).map(({ message }) => message as MailMessage),
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
  const events = await itemsOf({ store }, accountItemKey.audit(accountId, '').pk);
  const event = events.findLast(
    (item) =>
      item.action === action && (action !== 'member.add' || !('memberId' in to) || item.memberId === to.memberId),
  );
  if (!event) throw new Error(`no ${action}`);
  return { kind: 'mail', source: { accountId, sk: String(event.sk) }, to };
}
