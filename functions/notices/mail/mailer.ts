/** A mail that is ready to go. */
export interface OutgoingMail {
  readonly to: string;
  /** ASCII, and nobody's words but ours. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Come back with a bounce or a complaint: ids only. */
  readonly tags: Readonly<Record<string, string>>;
}

/**
 * What sends mails. `refused`: the mail was not taken, and would not be if it were sent again. Rejects when it may be
 * taken later, as when mails are sent too fast.
 */
export interface Mailer {
  send: (mail: OutgoingMail) => Promise<'taken' | 'refused'>;
}
