import { CONTENTS } from '../gateway/contents.ts';
import { ERRORS } from '../gateway/errors.ts';
import { pages } from '../routes.ts';

/** A target of the search. */
export interface Entry {
  readonly kind:
    | ('home' | 'keys' | 'usage' | 'settings' | 'team' | 'audit' | 'developers')
    | ('person' | 'docs' | 'request' | 'contact');
  readonly address: string;
  /** Its kind, and where it belongs. */
  readonly name: string;
  readonly within: string;
  /** What is there. It is found by this after everything that has the words in its name. */
  readonly text?: string;
  /** Words that people use for it, and the page does not. */
  readonly words?: string;
  /** What it does, where it is no page. */
  readonly run?: () => void;
}

/** Words that people use for what the documentation calls otherwise, by the address of the page. */
const WORDS: Readonly<Record<string, string>> = {
  [pages.idempotency]: 'charged twice double charge duplicate',
  [pages.keysAndLeaks]: 'leak stolen exposed secret scanning security',
  [`${pages.limits}#what-a-request-costs`]: 'price pricing billing bill invoice',
  [pages.testing]: 'mock sandbox clock',
};

const DOCS: readonly Entry[] = [
  ...CONTENTS.map((content) => ({ kind: 'docs' as const, ...content, words: WORDS[content.address] ?? '' })),
  ...ERRORS.map(({ code, status, title, meaning, todo }) => ({
    kind: 'docs' as const,
    address: pages.error(code),
    name: code,
    // Who looks for a number has an answer with that status.
    within: `${status} ${title}`,
    text: `${meaning} ${todo}`.replaceAll(/[`*]/g, ''),
    words: 'errors',
  })),
];

/** What is done on a page, and other words for it. */
const DONE_THERE = {
  keys: {
    text: 'Create, rotate, pause, resume, rename, cap and revoke keys; one budget for several.',
    words: 'limit secret token api leak expiry daily weekly monthly once run agent job',
  },
  requests: {
    text: 'Each request with its outcome: live, by key, code and time, and as CSV; whether one was charged.',
    words: 'log error refused charged twice duplicate idempotency export timezone time zone',
  },
  usage: {
    text: 'Units, latency and outcomes over time; units by key; the quota, its proof and its statement as CSV.',
    words: 'billing bill price cost invoice requests counter timezone time zone utc',
  },
  project: { text: 'Name and quota of the project; close it.', words: 'rename delete' },
  home: { text: 'All projects, what needs you, and the latest refusals.', words: 'new project' },
  team: {
    text: 'Invite people, change their roles: owner, member or viewer; remove them.',
    words: 'invitation leave read-only permissions',
  },
  audit: { text: 'Who changed what, and when.', words: 'history log csv export' },
  account: { text: 'Name of the account; leave or close it.', words: 'rename delete' },
  mails: {
    text: 'Which e-mails owners get, and at which shares of a quota and days before an expiry.',
    words: 'notices notifications alerts warnings mail email',
  },
  endpoints: {
    text: 'Endpoints, their deliveries and their secrets; send a test.',
    words: 'notices notifications events callback signing developers',
  },
  tokens: {
    text: 'Create and revoke management tokens, with which programs make keys and read usage.',
    words: 'management automation ci terraform secret developers',
  },
  profile: { text: 'Your sessions; sign out everywhere, delete your profile.', words: 'name address email account' },
} as const;

interface Account {
  readonly accountId: string;
  readonly name: string;
  readonly role: 'owner' | 'member' | 'viewer';
}
interface Project {
  readonly projectId: string;
  readonly name: string;
}

/** All targets, the nearest first: the present account, its projects, other accounts, the documentation. */
export function entriesOf(
  account: Account | undefined,
  projects: readonly Project[],
  accounts: readonly Account[],
  supportUrl: string | null = null,
): Entry[] {
  const own = account === undefined ? [] : [account];
  const others = accounts.filter(({ accountId }) => accountId !== account?.accountId);
  return [
    ...own.flatMap(({ accountId }) => projects.flatMap((project) => entriesOfProject(accountId, project))),
    ...[...own, ...others].flatMap(entriesOfAccount),
    ...(accounts.length > 0 ? ENTRIES_OF_PERSON : []),
    ...(supportUrl === null ? [] : [contactEntry(supportUrl)]),
    ...DOCS,
  ];
}

const entriesOfProject = (accountId: string, { projectId, name: within }: Project): Entry[] => [
  { kind: 'keys', name: 'Keys', address: pages.keys(accountId, projectId), within, ...DONE_THERE.keys },
  {
    kind: 'request',
    name: 'Requests',
    address: pages.requests(accountId, projectId),
    within,
    ...DONE_THERE.requests,
  },
  { kind: 'usage', name: 'Usage', address: pages.usage(accountId, projectId), within, ...DONE_THERE.usage },
  {
    kind: 'settings',
    name: 'Settings',
    address: pages.project(accountId, projectId),
    within,
    ...DONE_THERE.project,
  },
];

const entriesOfAccount = ({ accountId, name: within, role }: Account): Entry[] => {
  const ofOwners: readonly Entry[] = [
    { kind: 'audit', name: 'Audit', address: pages.audit(accountId), within, ...DONE_THERE.audit },
    { kind: 'developers', name: 'Webhooks', address: pages.endpoints(accountId), within, ...DONE_THERE.endpoints },
    { kind: 'developers', name: 'Tokens', address: pages.tokens(accountId), within, ...DONE_THERE.tokens },
  ];
  return [
    { kind: 'home', name: 'Home', address: pages.account(accountId), within, ...DONE_THERE.home },
    { kind: 'team', name: 'Team', address: pages.team(accountId), within, ...DONE_THERE.team },
    ...(role === 'owner' ? ofOwners : []),
    { kind: 'settings', name: 'Settings', address: pages.settings(accountId), within, ...DONE_THERE.account },
    { kind: 'settings', name: 'E-mails and thresholds', address: pages.mails(accountId), within, ...DONE_THERE.mails },
  ];
};

const ENTRIES_OF_PERSON: readonly Entry[] = [
  { kind: 'home', name: 'New account', address: pages.welcome, within: 'Accounts' },
  { kind: 'person', name: 'Profile', address: pages.profile, within: 'You', ...DONE_THERE.profile },
];

/** Whom people may ask. It is no page of the portal. */
const contactEntry = (supportUrl: string): Entry => ({
  kind: 'contact',
  name: 'Ask the platform team',
  address: supportUrl,
  within: 'Help',
  text: 'For a higher quota or rate limit, or when something is wrong.',
  words: 'contact support question problem billing price',
});

/** The page of an error. */
export const errorEntry = (code: string): Entry | undefined =>
  DOCS.find(({ address }) => address === pages.error(code));

/** Which requests are in no list, and who finds them. */
export const NOT_LISTED = DOCS.filter(({ address }) => address === pages.notListed);

/**
 * The entries that have every word, in any order: first those that have them in their names, then those that have some
 * elsewhere, or in the singular or the plural.
 */
export function found(entries: readonly Entry[], typed: string): Entry[] {
  const named = foundByName(entries, typed);
  const stems = stemsOf(typed);
  const others = entries.filter(
    (entry) =>
      !named.includes(entry) &&
      hasAll(`${nameOf(entry)} ${folded(entry.text ?? '')} ${folded(entry.words ?? '')}`, stems),
  );
  return [...named, ...others];
}

const stemsOf = (typed: string): string => folded(typed).replaceAll(/(?<=\w{3})(ies|y|s)\b/g, '');

/** The characters of a text that are shown of it, and those before the word that was looked for. */
const SHOWN = 140;
const BEFORE = 40;

/** The part of what an entry says that has the first typed word, or its beginning. */
export function excerptOf({ text = '' }: Entry, typed: string): string {
  const [word = ''] = stemsOf(typed).trim().split(/\s+/);
  const at = word === '' ? 0 : Math.max(0, folded(text).indexOf(word));
  if (at <= BEFORE) return text.slice(0, SHOWN);
  return `… ${text.slice(text.lastIndexOf(' ', at - BEFORE / 2) + 1).slice(0, SHOWN)}`;
}

/** The entries that have every word in their names, in any order: first those whose own name has them. */
export function foundByName(entries: readonly Entry[], typed: string): Entry[] {
  const isOwn = ({ name }: Entry): boolean => hasAll(folded(name), typed);
  const named = entries.filter((entry) => hasAll(nameOf(entry), typed));
  return [...named.filter(isOwn), ...named.filter((entry) => !isOwn(entry))];
}

const hasAll = (text: string, typed: string): boolean =>
  folded(typed)
    .split(/\s+/)
    .every((word) => text.includes(word));

/** A code is also found with spaces. */
const nameOf = ({ name, within }: Entry): string => folded(`${within} ${name} ${name.replaceAll('_', ' ')}`);

const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
