/** A mail that is ready to be sent. */
export interface OutgoingMail {
  readonly to: string;
  /** ASCII, a fixed text of ours. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
  /** SES returns them with a bounce or a complaint: ids only. */
  readonly tags: Readonly<Record<string, string>>;
}

/** What became of a mail: its id at SES, or the name of the error that its recipient causes. */
export type Sent =
  | { readonly outcome: 'taken'; readonly messageId: string | null }
  | { readonly outcome: 'refused'; readonly reason: string };

/**
 * Sends mails. `refused`: the mail was not taken, and another attempt would not change that. Rejects with
 * `MailHeldUpError` when a later attempt may succeed, as when mails are sent too fast.
 */
export interface Mailer {
  send: (mail: OutgoingMail) => Promise<Sent>;
}
