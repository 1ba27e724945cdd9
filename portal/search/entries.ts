import { ERRORS } from '../gateway/errors.ts';
import { pages } from '../routes.ts';

/** A target of the search. */
export interface Entry {
  readonly kind: 'home' | 'keys' | 'usage' | 'settings' | 'team' | 'audit' | 'person' | 'docs' | 'request';
  readonly address: string;
  /** Its kind, and where it belongs. */
  readonly name: string;
  readonly within: string;
}

const DOCS: readonly Entry[] = [
  { kind: 'docs', address: pages.docs, name: 'Quick start', within: 'Docs' },
  { kind: 'docs', address: `${pages.docs}#a-first-ping`, name: 'A ping with curl', within: 'Docs' },
  { kind: 'docs', address: `${pages.docs}#typescript`, name: 'A ping with TypeScript', within: 'Docs' },
  { kind: 'docs', address: `${pages.docs}#python`, name: 'A ping with Python', within: 'Docs' },
  { kind: 'docs', address: pages.errors, name: 'Errors', within: 'Docs' },
  { kind: 'docs', address: pages.limits, name: 'Limits', within: 'Docs' },
  { kind: 'docs', address: pages.idempotency, name: 'Idempotency', within: 'Docs' },
  { kind: 'docs', address: pages.webhooks, name: 'Webhooks', within: 'Docs' },
  { kind: 'docs', address: `${pages.idempotency}#retries`, name: 'Repeat safely', within: 'Docs' },
  { kind: 'docs', address: pages.reference, name: 'API reference', within: 'Docs' },
  ...ERRORS.map(({ code, title }) => ({
    kind: 'docs' as const,
    address: pages.error(code),
    name: code,
    within: `Errors: ${title}`,
  })),
];

interface Account {
  readonly accountId: string;
  readonly name: string;
  readonly role: 'owner' | 'member';
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
        { kind: 'keys' as const, address: pages.keys(accountId, projectId), name: 'Keys', within: name },
        { kind: 'usage' as const, address: pages.usage(accountId, projectId), name: 'Usage', within: name },
        { kind: 'settings' as const, address: pages.project(accountId, projectId), name: 'Settings', within: name },
      ]),
    ),
    ...[...own, ...others].flatMap(({ accountId, name, role }) => [
      { kind: 'home' as const, address: pages.account(accountId), name: 'Home', within: name },
      { kind: 'team' as const, address: pages.team(accountId), name: 'Team', within: name },
      ...(role === 'owner'
        ? [{ kind: 'audit' as const, address: pages.audit(accountId), name: 'Audit', within: name }]
        : []),
      { kind: 'settings' as const, address: pages.settings(accountId), name: 'Settings', within: name },
    ]),
    ...(accounts.length > 0
      ? [{ kind: 'home' as const, address: pages.welcome, name: 'New account', within: 'Accounts' }]
      : []),
    ...(accounts.length > 0
      ? [{ kind: 'person' as const, address: pages.profile, name: 'Profile', within: 'You' }]
      : []),
    ...DOCS,
  ];
}

const ID = '([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})';
const ID_ALONE = new RegExp(`^\\s*${ID}\\s*$`, 'i');
/** As in the body of an answer, in its header and in most logs. */
const NAMED_ID = new RegExp(`(?<![a-z])request-?id["']?\\s*[:=]\\s*["']?${ID}(?![0-9a-z-])`, 'i');

/** The id of a request, if the text is one or names one as `requestId`: the whole body of an error may be pasted. */
export const requestIdIn = (typed: string): string | undefined =>
  (ID_ALONE.exec(typed) ?? NAMED_ID.exec(typed))?.[1]?.toLowerCase();

/** The entries that contain every word, in any order. */
export function found(entries: readonly Entry[], typed: string): Entry[] {
  const words = folded(typed).split(/\s+/).filter(Boolean);
  return entries.filter(({ name, within }) => {
    // A code is also found with spaces.
    const text = folded(`${within} ${name} ${name.replaceAll('_', ' ')}`);
    return words.every((word) => text.includes(word));
  });
}

const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
