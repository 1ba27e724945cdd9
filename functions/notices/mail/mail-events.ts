import * as v from 'valibot';
import { noteBounced } from '../../accounts/mailed-addresses.ts';
import { noteMailState } from '../../accounts/mail-states.ts';
import type { NoticesDependencies } from '../dependencies.ts';

const Tag = v.optional(v.array(v.string()));
/** The parts of SES's event that are read (AWS, "Contents of event data that Amazon SES publishes"). */
const Detail = v.object({
  eventType: v.string(),
  mail: v.object({
    destination: v.array(v.string()),
    tags: v.optional(v.object({ accountId: Tag, memberId: Tag, noticeId: Tag }), {}),
  }),
  bounce: v.optional(v.object({ bounceType: v.string() })),
  complaint: v.optional(v.object({})),
});

/**
 * What became of a mail, as SES tells later: an address that does not exist, or whose person calls the mail spam, is not
 * written to again, and the team page says so. A mailbox that is full today is. Throws for an event that is none of SES's.
 *
 * The address is the one that the mail was sent to, each mail has one. Whom a bounce or a complaint names is what the other
 * side's server wrote into its report, which could be anybody.
 */
export async function onMailEvent({ store, telemetry }: NoticesDependencies, detail: unknown): Promise<void> {
  const { eventType, mail, bounce, complaint } = v.parse(Detail, detail);
  const why = bounce?.bounceType === 'Permanent' ? 'bounce' : complaint ? 'complaint' : undefined;
  if (!why) return;
  for (const recipient of mail.destination) await noteBounced(store, addressIn(recipient), why);
  const [accountId, memberId, noticeId] = [mail.tags.accountId, mail.tags.memberId, mail.tags.noticeId].map(
    (values) => values?.[0],
  );
  telemetry.info('an address is not written to again', { eventType, noticeId: noticeId ?? null });
  if (accountId === undefined || memberId === undefined || noticeId === undefined) return;
  await noteMailState(store, { accountId, memberId, noticeId }, 'bounced');
}

/** `Name <a@example.com>` is told as it stood in the mail's header. */
const addressIn = (recipient: string): string => /<([^<>]+)>\s*$/.exec(recipient)?.[1] ?? recipient.trim();
