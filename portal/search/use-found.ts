import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { PortalError } from '../api/problem.ts';
import { projectsQuery, type Account, type Project, type Session, type ProjectIds } from '../api/queries.ts';
import { useToast } from '../components/announcer.tsx';
import { useSignOut } from '../components/sign-out.tsx';
import type { FoundRequest } from '../api/schemas.ts';
import { foundRequestQuery } from '../api/usage-queries.ts';
import { asSentence, inWords } from '../requests/cause.ts';
import { COUNTED_WITH_OTHERS, findAmong, type Finding } from '../requests/finding.ts';
import { outcomeOf } from '../requests/outcomes.ts';
import { pages } from '../routes.ts';
import { chooseTheme } from '../theme/theme.ts';
import { entriesOf, errorEntry, found, foundByName, NOT_LISTED, type Entry } from './entries.ts';
import { codeIn, requestIdIn } from './pasted.ts';

/**
 * The number of projects in which a text is searched that is not an id. Each takes two of the sixty counted reads of a
 * minute.
 */
const PROJECTS = 5;
const LOOKING = 'Looking in your projects …';
const UNKNOWN_KEY = 'INVALID_API_KEY';
const NO_PROJECT = 'An unknown key belongs to no project, so its request is in no list.';
const NO_ID =
  'None of your requests has this id. One with no key, with an unknown one or to a wrong path is in no list.';
const NONE = 'No page has this name.';
const NO_REQUEST =
  'Nothing has this name: no page, none of the newest requests, and no success of the last 24 hours under this Idempotency-Key.';

interface Found {
  readonly entries: readonly Entry[];
  /** The text if there is no request, or nothing at all. */
  readonly status: string;
  /**
   * Searches a text as an Idempotency-Key or a client's own id. Does nothing if the text is the name of a page or an
   * id.
   */
  readonly ask: (text: string) => void;
}

/**
 * The results for a text: pages by a part of their names, a request by its id, and a request by its Idempotency-Key or
 * the client's own id. The last two are searched in the most recently used projects of the account.
 */
export function useFound(session: Session | undefined, account: Account | undefined, typed: string): Found {
  const [asked, setAsked] = useState('');
  const { accountId = '' } = account ?? {};
  const { data: projects = [] } = useQuery({ ...projectsQuery(accountId), enabled: account !== undefined });
  const requestId = session && requestIdIn(typed);
  const byId = useQuery({ ...foundRequestQuery(requestId ?? ''), enabled: requestId !== undefined });
  const code = codeIn(typed);
  const page = code === undefined ? undefined : errorEntry(code);
  const actions = useActions(session !== undefined);
  const all = [
    ...entriesOf(account, projects, session?.accounts ?? [], session?.supportUrl),
    ...(typed === '' ? [] : actions),
  ];
  const byWords = found(all, typed);
  const places = byWords.length === 0 && page ? [page] : byWords;
  const name = typed.trim();
  // Clients make Idempotency-Keys in the form of ids. So a text that is the id of no request may be a name.
  const isNoRequest = byId.error instanceof PortalError && byId.error.code === 'NOT_FOUND';
  const isName = requestId === undefined || (isNoRequest && name.toLowerCase() === requestId);
  // A word of the documentation may be the name of a request, too.
  const isOfPlace = page !== undefined || foundByName(all, typed).length > 0;
  const canAsk = isName && !isOfPlace && projects.length > 0 && name !== '';
  const isAsked = canAsk && asked === name;
  const byName = useQuery({
    queryKey: ['account', accountId, 'named', name],
    queryFn: () =>
      findAmong(
        lastUsed(projects).map((project) => ({ ...project, accountId })),
        name,
      ),
    enabled: isAsked,
    // A replay may have been added meanwhile.
    gcTime: 0,
  });
  const ask = (text: string): void => setAsked(text.trim());
  const instead = byId.error instanceof PortalError ? byId.error.keptInstead : [];
  const notThere = instead.length > 0 ? COUNTED_WITH_OTHERS : NO_ID;
  if (!isName) {
    const { data, error } = byId;
    const wanted = code === undefined ? instead : instead.filter(({ event }) => event.code === code);
    const requests = data ? [requestEntry(data)] : wanted.map(insteadEntry);
    const why = code === UNKNOWN_KEY ? NO_PROJECT : isNoRequest ? notThere : (error?.message ?? LOOKING);
    return { entries: page ? [...requests, page] : requests, status: data ? '' : why, ask };
  }
  const unasked = canAsk ? `${NONE} Press Enter to look for a request of this name.` : NONE;
  const answered = byName.error?.message ?? (byName.data ? (isNoRequest ? notThere : NO_REQUEST) : LOOKING);
  const isLost = isNoRequest && isAsked && byName.data?.length === 0;
  const named = isAsked ? (byName.data ?? []).map(namedEntry) : [];
  const entries = [...places, ...named, ...(isLost ? instead.map(insteadEntry) : [])];
  const status = isAsked ? answered : unasked;
  // Most often it is the id of a request with an unknown key.
  if (isLost && entries.length === 0) entries.push(...NOT_LISTED);
  return { entries, status: isLost || entries.length === 0 ? status : '', ask };
}

/** What can be done from everywhere. */
function useActions(isSignedIn: boolean): readonly Entry[] {
  const tell = useToast();
  const { run } = useSignOut(({ message }) => tell(message, true));
  const colours = (['dark', 'light', 'system'] as const).map((theme) => ({
    kind: 'person' as const,
    address: `#${theme}`,
    name: `Colours: ${theme}`,
    within: 'You',
    words: 'theme mode',
    run: () => chooseTheme(theme),
  }));
  const out = { kind: 'person' as const, address: '#out', name: 'Sign out', within: 'You', words: 'log out logout' };
  return isSignedIn ? [...colours, { ...out, run: () => run(false) }] : colours;
}

const lastUsed = (projects: readonly Project[]): Project[] =>
  projects.toSorted((one, other) => ((one.lastRequest ?? '') < (other.lastRequest ?? '') ? 1 : -1)).slice(0, PROJECTS);

const requestEntry = ({ accountId, projectId, event, cause }: FoundRequest): Entry => ({
  kind: 'request',
  address: pages.request(accountId, projectId, event),
  name: `Request ${event.requestId}`,
  within: cause ? asSentence(inWords(cause, event)) : outcomeOf(event).words,
});

const insteadEntry = ({ accountId, projectId, event }: FoundRequest): Entry => ({
  kind: 'request',
  address: pages.request(accountId, projectId, event),
  name: `Kept in its minute: ${event.code ?? outcomeOf(event).words}`,
  within: `Request ${event.requestId}`,
});

function namedEntry({ words, event, named, in: project }: Finding & { readonly in: ProjectIds & Project }): Entry {
  const { accountId, projectId, name } = project;
  const one = event ? pages.request(accountId, projectId, event) : pages.requests(accountId, projectId);
  const address = named === undefined ? one : pages.named(accountId, projectId, named);
  return { kind: 'request', address, name: words, within: name };
}
