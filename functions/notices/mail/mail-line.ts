import type { MailOutcome } from '../../accounts/mail/mail-states.ts';
import type { NoticesTelemetry } from '../dependencies.ts';

/** What became of a mail: ids only, never its address. */
interface MailLine {
  readonly noticeId: string | null;
  readonly accountId: string | null;
  readonly memberId: string | null;
  /** Its id at SES. */
  readonly messageId: string | null;
  readonly outcome: MailOutcome;
  /** The name of an error or of an event of SES. */
  readonly reason: string | null;
}

/** Logs the one line of a mail. */
export function logMail(telemetry: NoticesTelemetry, line: MailLine): void {
  telemetry.info('mail', { ...line });
}
