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
    ...projects.flatMap(({ projectId, name }) =>
      own.flatMap(({ accountId }) => [
        {
          kind: 'keys' as const,
          address: pages.keys(accountId, projectId),
          name: 'Keys',
          within: name,
          words: DONE_THERE.keys,
        },
        {
          kind: 'usage' as const,
          address: pages.usage(accountId, projectId),
          name: 'Usage',
          within: name,
          words: DONE_THERE.usage,
        },
        {
          kind: 'settings' as const,
          address: pages.project(accountId, projectId),
          name: 'Settings',
          within: name,
          words: DONE_THERE.project,
        },
      ]),
    ),
    ...[...own, ...others].flatMap(({ accountId, name, role }) => [
      { kind: 'home' as const, address: pages.account(accountId), name: 'Home', within: name, words: DONE_THERE.home },
      { kind: 'team' as const, address: pages.team(accountId), name: 'Team', within: name, words: DONE_THERE.team },
      ...(role === 'owner'
        ? [
            {
              kind: 'audit' as const,
              address: pages.audit(accountId),
              name: 'Audit',
              within: name,
              words: DONE_THERE.audit,
            },
          ]
        : []),
      {
        kind: 'settings' as const,
        address: pages.settings(accountId),
        name: 'Settings',
        within: name,
        words: DONE_THERE.account,
      },
    ]),
    ...(accounts.length > 0
      ? [{ kind: 'home' as const, address: pages.welcome, name: 'New account', within: 'Accounts' }]
      : []),
    ...(accounts.length > 0
      ? [{ kind: 'person' as const, address: pages.profile, name: 'Profile', within: 'You', words: DONE_THERE.profile }]
      : []),
    ...DOCS,
  ];
}

/** The page of an error. */
export const errorEntry = (code: string): Entry | undefined =>
  DOCS.find(({ address }) => address === pages.error(code));

/**
 * The entries that have every word, in any order: first those that have them in their names, then those that have some
 * elsewhere.
 */
export function found(entries: readonly Entry[], typed: string): Entry[] {
  const named = foundByName(entries, typed);
  const others = entries.filter(
    (entry) => !named.includes(entry) && hasAll(`${nameOf(entry)} ${folded(entry.words ?? '')}`, typed),
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
