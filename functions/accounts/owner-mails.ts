/** The kinds of mail that the owners of an account can have or not have. */
export const OWNER_MAIL_KINDS = ['quota', 'keys', 'team'] as const;
export type OwnerMailKind = (typeof OWNER_MAIL_KINDS)[number];

/** Which mails the owners of an account get. */
export type OwnerMails = Readonly<Record<OwnerMailKind, boolean>>;

/** The same as attributes of an account; absent: they get them. */
export interface StoredOwnerMails {
  readonly mailsQuota?: boolean;
  readonly mailsKeys?: boolean;
  readonly mailsTeam?: boolean;
}

/** Which mails the owners of an account get, as it is stored. */
export const ownerMailsOf = ({ mailsQuota, mailsKeys, mailsTeam }: StoredOwnerMails): OwnerMails => ({
  quota: mailsQuota ?? true,
  keys: mailsKeys ?? true,
  team: mailsTeam ?? true,
});

/** The attributes of a change of some of them. */
export const storedOwnerMails = ({ quota, keys, team }: Partial<OwnerMails>): StoredOwnerMails => ({
  ...(quota !== undefined && { mailsQuota: quota }),
  ...(keys !== undefined && { mailsKeys: keys }),
  ...(team !== undefined && { mailsTeam: team }),
});
