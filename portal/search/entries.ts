import { CONTENTS } from '../gateway/contents.ts';
import { ERRORS } from '../gateway/errors.ts';
import { pages } from '../routes.ts';

/** A target of the search. */
export interface Entry {
  readonly kind: 'home' | 'keys' | 'usage' | 'settings' | 'team' | 'audit' | 'person' | 'docs' | 'request';
  readonly address: string;
  /** Its kind, and where it belongs. */
  readonly name: string;
  readonly within: string;
  /** Other words that it is found by, after everything that has them in its name. */
  readonly words?: string;
  /** What it does, where it is no page. */
  readonly run?: () => void;
}

const DOCS: readonly Entry[] = [
  ...CONTENTS.map((content) => ({ kind: 'docs' as const, ...content })),
  ...ERRORS.map(({ code, status, title, meaning, todo }) => ({
    kind: 'docs' as const,
    address: pages.error(code),
    name: code,
    within: `Errors: ${title}`,
    words: `${status} ${meaning} ${todo}`,
  })),
];

/** What is done on a page, in other words than its name. */
const DONE_THERE = {
  keys: 'create rotate revoke pause resume cap limit rename secret token api key',
  usage: 'requests csv export statement quota units charged latency errors live',
  project: 'rename close delete quota',
  home: 'projects new project refusals',
  team: 'invite invitation member owner role remove leave people',
  audit: 'changes history log csv export',
  account:
    'rename close leave delete webhook endpoint notices mail notifications secret management token automation ci',
  profile: 'sessions sign out everywhere delete name address',
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
): Entry[] {
  const own = account === undefined ? [] : [account];
  const others = accounts.filter(({ accountId }) => accountId !== account?.accountId);
  return [
    ...own.flatMap(({ accountId }) => projects.flatMap((project) => entriesOfProject(accountId, project))),
    ...[...own, ...others].flatMap(entriesOfAccount),
    ...(accounts.length > 0 ? ENTRIES_OF_PERSON : []),
    ...DOCS,
  ];
}

const entriesOfProject = (accountId: string, { projectId, name: within }: Project): Entry[] => [
  { kind: 'keys', name: 'Keys', address: pages.keys(accountId, projectId), within, words: DONE_THERE.keys },
  { kind: 'usage', name: 'Usage', address: pages.usage(accountId, projectId), within, words: DONE_THERE.usage },
  {
    kind: 'settings',
    name: 'Settings',
    address: pages.project(accountId, projectId),
    within,
    words: DONE_THERE.project,
  },
];

const entriesOfAccount = ({ accountId, name: within, role }: Account): Entry[] => {
  const audit: Entry = {
    kind: 'audit',
    name: 'Audit',
    address: pages.audit(accountId),
    within,
    words: DONE_THERE.audit,
  };
  return [
    { kind: 'home', name: 'Home', address: pages.account(accountId), within, words: DONE_THERE.home },
    { kind: 'team', name: 'Team', address: pages.team(accountId), within, words: DONE_THERE.team },
    ...(role === 'owner' ? [audit] : []),
    { kind: 'settings', name: 'Settings', address: pages.settings(accountId), within, words: DONE_THERE.account },
  ];
};

const ENTRIES_OF_PERSON: readonly Entry[] = [
  { kind: 'home', name: 'New account', address: pages.welcome, within: 'Accounts' },
  { kind: 'person', name: 'Profile', address: pages.profile, within: 'You', words: DONE_THERE.profile },
];

/** The page of an error. */
export const errorEntry = (code: string): Entry | undefined =>
  DOCS.find(({ address }) => address === pages.error(code));

/**
 * The entries that have every word, in any order: first those that have them in their names, then those that have some
 * elsewhere, or in the singular or the plural.
 */
export function found(entries: readonly Entry[], typed: string): Entry[] {
  const named = foundByName(entries, typed);
  const stems = folded(typed).replaceAll(/(?<=\w{3})(ies|y|s)\b/g, '');
  const others = entries.filter(
    (entry) => !named.includes(entry) && hasAll(`${nameOf(entry)} ${folded(entry.words ?? '')}`, stems),
  );
  return [...named, ...others];
}

/** The entries that have every word in their names, in any order. */
export const foundByName = (entries: readonly Entry[], typed: string): Entry[] =>
  entries.filter((entry) => hasAll(nameOf(entry), typed));

const hasAll = (text: string, typed: string): boolean =>
  folded(typed)
    .split(/\s+/)
    .every((word) => text.includes(word));

/** A code is also found with spaces. */
const nameOf = ({ name, within }: Entry): string => folded(`${within} ${name} ${name.replaceAll('_', ' ')}`);

const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
