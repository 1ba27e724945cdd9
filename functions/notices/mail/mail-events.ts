import * as v from 'valibot';
import { requireAddressKey } from '../../accounts/mail/address-key.ts';
import { noteInvitationBounced } from '../../accounts/team/invitation-bounces.ts';
import { addressHash, noteBounced } from '../../accounts/mail/mailed-addresses.ts';
import { noteMailState } from '../../accounts/mail/mail-states.ts';
import type { NoticesDependencies } from '../dependencies.ts';
import { readClaim } from './claims.ts';
import { logMail } from './mail-line.ts';

const Tag = v.optional(v.array(v.string()));
/** The members of SES's event that we read (AWS, "Contents of event data that Amazon SES publishes"). */
const Detail = v.object({
  eventType: v.string(),
  mail: v.object({
    messageId: v.optional(v.string()),
    destination: v.array(v.string()),
    tags: v.optional(v.object({ accountId: Tag, memberId: Tag, noticeId: Tag }), {}),
  }),
  bounce: v.optional(v.object({ bounceType: v.string() })),
  complaint: v.optional(v.object({})),
});

/**
 * Handles an event of SES about a sent mail. An address that does not exist, or whose owner marked the mail as spam,
 * gets no more mail, and the team page says so. A full mailbox changes nothing. Throws for an event that SES does not
 * send.
 *
 * The address is the destination of the mail; each mail has one. The recipients in a bounce or complaint come from the
 * report of the other server, and could be anybody.
 */
export async function onMailEvent({ store, telemetry }: NoticesDependencies, detail: unknown): Promise<void> {
  const { eventType, mail, bounce, complaint } = v.parse(Detail, detail);
  const why = bounce?.bounceType === 'Permanent' ? 'bounce' : complaint ? 'complaint' : undefined;
  if (!why) return;
  for (const recipient of mail.destination) await noteBounced(store, addressIn(recipient), why);
  const [accountId, memberId, noticeId] = [mail.tags.accountId, mail.tags.memberId, mail.tags.noticeId].map(
    (values) => values?.[0],
  );
  logMail(telemetry, {
    noticeId: noticeId ?? null,
    accountId: accountId ?? null,
    memberId: memberId ?? null,
    messageId: mail.messageId ?? null,
    outcome: 'bounced',
    reason: eventType,
  });
  if (accountId === undefined || memberId === undefined || noticeId === undefined) return;
  await noteMailState(store, { accountId, memberId, noticeId }, 'bounced');
  const key = await requireAddressKey(store);
  for (const recipient of mail.destination) {
    const hash = addressHash(key, addressIn(recipient));
    const { causes } = (await readClaim(store, { hash, noticeId })) ?? {};
    if (causes) await noteInvitationBounced(store, causes, noticeId);
  }
}

/** `Name <a@example.com>` comes as it was in the mail's header. */
const addressIn = (recipient: string): string => /<([^<>]+)>\s*$/.exec(recipient)?.[1] ?? recipient.trim();
