import type { OwnerMailKind } from '../../accounts/team/owner-mails.ts';
import { NOTICES_ACTOR, type Notice, type NoticeType } from '../notice.ts';
import { quotedHost, quotedName } from './quotes.ts';
import { mailText, words, type MailContent, type MailText } from './template.ts';

/** The recipient of a mail: an invited person, the person whose membership changed, or an owner. */
export type Recipient = 'invited' | 'oneself' | 'owner';

/** The names in a mail, as of now. Absent: it does not exist any more. People chose these names. */
export interface NoticeNames {
  readonly account?: string | undefined;
  readonly project?: string | undefined;
  readonly key?: string | undefined;
  readonly token?: string | undefined;
  readonly member?: string | undefined;
  /** The address of an endpoint, of which only the host is shown: the rest may be a secret of its owner. */
  readonly endpointUrl?: string | undefined;
  /** The inviter; `operator`: the platform team, which the mail names in a fixed text. */
  readonly inviter?: { readonly kind: 'person' | 'operator'; readonly name: string } | undefined;
  readonly invitation?: { readonly role: string; readonly expiresAtMs: number } | undefined;
}

/** The targets of the links in a mail. */
export interface MailLinks {
  readonly portalOrigin: string;
  readonly stopUrl: string;
}

/** The kind of mail to which a notice for owners belongs. Undefined: owners cannot opt out. */
export const OWNER_KINDS: Readonly<Record<NoticeType, OwnerMailKind | undefined>> = {
  'invitation.created': 'team',
  'invitation.accepted': 'team',
  'invitation.declined': 'team',
  'member.role_changed': 'team',
  'member.removed': 'team',
  'project.suspended': 'quota',
  'project.limits_changed': 'quota',
  'quota.threshold_reached': 'quota',
  'key.cap_reached': 'keys',
  'key.expiring': 'keys',
  'token.expiring': 'keys',
  'key.leaked': undefined,
  'endpoint.disabled': undefined,
};

/**
 * The kind of a mail and what it is about. A member gets one of these an hour. All shares below 100 % are one kind: else
 * each percentage that an owner chooses would have mails of its own.
 */
export function subjectOf({ type, data: { thresholdPercent, isRevoked }, ...ids }: Notice): string {
  const { keyId, tokenId, endpointId, projectId, memberId, accountId } = ids;
  // A key that still works is told apart from one that was revoked.
  const isWhole = thresholdPercent === 100 || isRevoked === true;
  return [
    type,
    ...(isWhole ? ['whole'] : []),
    keyId ?? tokenId ?? endpointId ?? projectId ?? memberId ?? accountId,
  ].join('#');
}

/** Whether a notice has a place of its own among the mails of a day: others must not crowd it out. */
export const isUrgent = ({ type, data: { thresholdPercent } }: Notice): boolean =>
  URGENT.has(type) || thresholdPercent === 100;

const URGENT: ReadonlySet<NoticeType> = new Set([
  'member.removed',
  'key.expiring',
  'token.expiring',
  'key.leaked',
  'endpoint.disabled',
]);

/** The mail of a notice. Its subject and title are fixed texts. What others chose is in quotes and apart. */
export function contentOf(recipient: Recipient, notice: Notice, names: NoticeNames, links: MailLinks): MailContent {
  const { title, lines, path, press } = sayings(recipient, notice);
  return {
    subject: title,
    title,
    paragraphs: lines,
    facts: [accountFacts(recipient, names), factsOf(recipient, notice, names)].filter((group) => group.length > 0),
    action: { words: press, url: links.portalOrigin + path },
    why: whyOf(recipient, notice.type),
    stop: { words: stopWords(recipient), url: links.stopUrl },
  };
}

interface Saying {
  readonly title: string;
  readonly lines: readonly MailText[];
  readonly path: string;
  readonly press: string;
}

function sayings(recipient: Recipient, { type, accountId, projectId, keyId, endpointId, data }: Notice): Saying {
  const team = { path: `/accounts/${accountId}/team`, press: 'Open the team' };
  const usage = projectId
    ? { path: `/accounts/${accountId}/projects/${projectId}/usage`, press: 'See the usage' }
    : { path: `/accounts/${accountId}`, press: 'Open the account' };
  const list = `/accounts/${accountId}/projects/${projectId}/keys`;
  const one = keyId ? { path: `${list}/${keyId}`, press: 'Open the key' } : undefined;
  const keys = projectId ? (one ?? { path: list, press: 'Open the keys' }) : usage;
  const of = (title: string, to: { path: string; press: string }, ...lines: MailText[]): Saying => ({
    title,
    lines,
    ...to,
  });
  const refused =
    data.period === 'once'
      ? 'the requests of this key, and of keys that share its cap, are refused until its limit is raised.'
      : "the key's requests are refused until the next period.";
  switch (type) {
    case 'invitation.created':
      if (recipient !== 'invited') return of('Somebody was invited', team);
      return of(
        'You are invited to the developer portal',
        { path: `/invitations/${accountId}`, press: 'See the invitation' },
        mailText`Sign in with this e-mail address, then accept or decline. Nothing happens before that.`,
      );
    case 'invitation.accepted':
      return of('An invitation was accepted', team);
    case 'invitation.declined':
      return of('An invitation was declined', team);
    case 'member.role_changed':
      if (recipient !== 'oneself') return of("A member's role has changed", team);
      return of('Your role in an account has changed', { path: `/accounts/${accountId}`, press: 'Open the account' });
    case 'member.removed':
      if (recipient !== 'oneself') return of('A member was removed', team);
      return of(
        'You are no longer in an account',
        { path: '/', press: 'Open the portal' },
        mailText`An owner has removed you. Its keys still work in the programs that have them.`,
      );
    case 'project.suspended':
      return of(
        'A project is suspended',
        usage,
        mailText`The requests of its keys are refused. Ask the platform team why.`,
      );
    case 'project.limits_changed':
      return of("A project's limits have changed", usage);
    case 'quota.threshold_reached':
      return data.thresholdPercent === 100
        ? of("A project's quota is used up", usage, mailText`Its requests are refused until the next period.`)
        : of(
            `${String(data.thresholdPercent)} % of a project's quota is used`,
            usage,
            mailText`When it is used up, its requests are refused until the next period.`,
          );
    case 'key.cap_reached':
      return data.thresholdPercent === 100
        ? of('A key has used up its cap', keys, mailText`From now on ${refused}`)
        : of(
            `${String(data.thresholdPercent)} % of a key's cap is used`,
            keys,
            mailText`When it is used up, ${refused}`,
          );
    case 'key.expiring':
      return of(
        'A key expires soon',
        keys,
        mailText`After it has expired its requests are refused. Rotate it before: the new key and the old one work side by side.`,
      );
    case 'token.expiring':
      return of(
        'A management token expires soon',
        { path: `/accounts/${accountId}/developers/tokens`, press: 'Open the tokens' },
        mailText`After it has expired its requests are refused. Create another one before, and give it to the program.`,
      );
    case 'key.leaked':
      return data.isRevoked === true
        ? of(
            'A key was found in public and revoked',
            keys,
            mailText`Its requests are refused. Create another key, and look at what this one was used for.`,
          )
        : of('A key was found in public', keys, mailText`It still works. Rotate or revoke it now.`);
    case 'endpoint.disabled':
      return of(
        'A webhook endpoint was switched off',
        { path: `/accounts/${accountId}/developers/webhooks/${endpointId ?? ''}`, press: 'Open the endpoint' },
        mailText`Nothing is sent to it until an owner switches it on. Its page shows what it answered.`,
      );
  }
}

type Facts = (readonly [name: string, value: MailText])[];
const named = (label: string, name: string | undefined): Facts =>
  name === undefined ? [] : [[label, words(quotedName(name))]];

function accountFacts(recipient: Recipient, { account, inviter, invitation }: NoticeNames): Facts {
  if (recipient !== 'invited') return named('Account', account);
  return [
    ...named('Account', account),
    ...(inviter?.kind === 'operator'
      ? ([['Invited by', mailText`the platform team`]] satisfies Facts)
      : inviter === undefined
        ? []
        : ([['Invited by', mailText`${words(quotedName(inviter.name))}, a name they chose`]] satisfies Facts)),
    ...(invitation
      ? ([
          ['Role', mailText`${invitation.role}`],
          ['Until', mailText`${day(invitation.expiresAtMs)}`],
        ] satisfies Facts)
      : []),
  ];
}

function factsOf(recipient: Recipient, notice: Notice, names: NoticeNames): Facts {
  if (recipient === 'invited') return [];
  const { type, actor, data, keyId, projectId, endpointId, tokenId } = notice;
  const value = (name: string, text: string | number | boolean | null | undefined): Facts =>
    text === undefined || text === null ? [] : [[name, mailText`${String(text)}`]];
  return [
    ...(recipient === 'owner' ? named('Person', names.member) : []),
    ...named('Project', names.project),
    ...(names.project === undefined ? value('Project', projectId) : []),
    ...named('Key', names.key),
    ...value('Key id', keyId),
    ...named('Token', names.token),
    ...value('Token id', tokenId),
    ...(names.endpointUrl === undefined ? [] : ([['Endpoint', words(quotedHost(names.endpointUrl))]] satisfies Facts)),
    ...value('Endpoint id', endpointId),
    ...(type === 'endpoint.disabled' ? value('Why', whyDisabled(actor)) : []),
    ...(data.units === undefined ? [] : value('Units used', ofLimit(data.units, data.unitsLimit))),
    ...value('Period', data.period === 'once' ? 'once: it never begins again' : data.period),
    ...value('Expires', typeof data.expiresAt === 'string' ? moment(data.expiresAt) : undefined),
    ...(typeof data.foundAt === 'string' ? ([['Found at', words(quotedName(data.foundAt))]] satisfies Facts) : []),
    ...value('Role', data.role),
    ...value('Before', shown(data.before)),
    ...value('Now', shown(data.after)),
    ...value('When', moment(notice.at)),
  ];
}

/** The notices function switches it off after failures (`disableEndpoint`). */
const whyDisabled = (actor: string | undefined): string =>
  actor === NOTICES_ACTOR ? 'no delivery has succeeded for three days, or it answered 410' : 'the platform team';

/** A role or a limit in words. Null: there is no limit. */
const shown = (value: Notice['data'][string] | undefined): string | undefined =>
  value === undefined ? undefined : value === null ? 'none' : amount(value);

const ofLimit = (units: Notice['data'][string], limit: Notice['data'][string] | undefined): string =>
  limit === undefined || limit === null ? amount(units) : `${amount(units)} of ${amount(limit)}`;

/** `8,012` */
const amount = (value: Notice['data'][string]): string =>
  typeof value === 'number' ? new Intl.NumberFormat('en-GB').format(value) : String(value);

/** `21 November 2026 at 08:30 UTC` */
const moment = (iso: string): string =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(Date.parse(iso))} UTC`;

const day = (epochMs: number): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(epochMs);

function whyOf(recipient: Recipient, type: NoticeType): MailText[] {
  if (recipient === 'invited') {
    return [
      mailText`You get this mail because somebody entered your address in the developer portal. If you do not know them, do nothing: the invitation ends by itself.`,
    ];
  }
  if (recipient === 'oneself') return [mailText`You get this mail because your membership has changed.`];
  return [
    mailText`You get this mail because you are an owner of the account.${
      OWNER_KINDS[type] === undefined ? '' : ' The settings of the account say which mails owners get.'
    }`,
  ];
}

const stopWords = (recipient: Recipient): string =>
  recipient === 'invited' ? 'Stop invitations to this address' : 'Stop mails of this account to this address';
