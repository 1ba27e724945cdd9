import { listOwnProjects, type OwnProject } from '../../accounts/projects/own-projects.ts';
import { readOpenProjects, readProject } from '../../accounts/projects/stored-projects.ts';
import { countRead } from '../../accounts/authority/rate.ts';
import type { UsageEvent } from '../../shared/request/usage-event.ts';
import { findEvent, findInProjects } from '../../usage/events/one-event.ts';
import { eventContract } from '../contract/events.ts';
import { MANAGE_CONTRACT } from '../contract/manage.ts';
import { PortalError } from '../contract/errors.ts';
import { causeForPerson, causeForToken } from './cause.ts';
import { serveToken, type OfToken } from '../serve/token-authority.ts';
import { serve, type Asked, type OfPerson } from '../serve/serve.ts';
import { storeOf } from '../serve/authority.ts';

/** The number of projects that are searched together. Each batch counts as a read of the person. */
const PROJECTS_AT_ONCE = 50;
/** The most projects that are searched for one request. */
const MAX_PROJECTS = 500;
/** The most refusals that are shown in place of one that was counted with others. */
const MOST_INSTEAD = 5;
/** These replace the catalogue's text. */
const NOT_FOUND =
  'None of your requests has this id. One with an unknown key or to a wrong path is in no list, and one that was just answered is found some moments later.';
const COUNTED_WITH_OTHERS =
  'No request is kept under this id. Of several refusals of one key with one code in a minute the first is kept, and stands for the others: these were kept in its minute.';

interface Located {
  readonly accountId: string;
  readonly projectId: string;
  readonly event: UsageEvent;
}

/** The refusal of a request that has no event, with the refusals of its minute, one of which may stand for it. */
export const notFound = (keptInstead: readonly Located[]): PortalError =>
  keptInstead.length === 0
    ? new PortalError('NOT_FOUND', { detail: NOT_FOUND })
    : new PortalError('NOT_FOUND', {
        detail: COUNTED_WITH_OTHERS,
        keptInstead: keptInstead.slice(0, MOST_INSTEAD),
      });

/** Requests by their ids, in any project of the person. */
export const requestRoutes = [
  serve(eventContract.findRequest, async (asked) => {
    const { c, dependencies, person } = asked;
    const { found, keptInstead } = await findOfPerson(asked);
    // The list of projects may be stale.
    const storeIn = ({ membership }: Owned) => storeOf(c, dependencies, person.user, membership);
    const checked = async (owned: Owned): Promise<Located> => {
      const { membership, projectId, event } = owned;
      await readProject(storeIn(owned), projectId);
      return { accountId: membership.accountId, projectId, event };
    };
    if (found) {
      const request = await checked(found);
      return { ...request, ...(await causeForPerson(storeIn(found), request.accountId, request.event)) };
    }
    const shown = await Promise.allSettled(keptInstead.slice(0, MOST_INSTEAD).map(checked));
    throw notFound(shown.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])));
  }),
];

/** The same among the projects of a token. */
export const manageRequestRoutes = [
  serveToken(MANAGE_CONTRACT.readRequest, async (asked) => {
    const event = await findOfToken(asked);
    if (!event) throw new PortalError('NOT_FOUND');
    // The list of projects may be stale.
    await readProject(asked.store, event.projectId);
    return { ...event, ...(await causeForToken(asked.store, asked.accountId, event)) };
  }),
];

type Owned = OwnProject & { readonly event: UsageEvent };

/** The first batch is counted already. */
async function findOfPerson({
  store,
  id,
  person,
}: OfPerson<Asked>): Promise<{ readonly found?: Owned | undefined; readonly keptInstead: readonly Owned[] }> {
  const requestId = id('requestId');
  const keptInstead: Owned[] = [];
  const projects = await listOwnProjects(store, person.user.userId, MAX_PROJECTS);
  for (let i = 0; i < projects.length; i += PROJECTS_AT_ONCE) {
    if (i > 0) await countRead(store);
    const batch = projects.slice(i, i + PROJECTS_AT_ONCE);
    const projectIds = batch.map(({ projectId }) => projectId);
    const owned = (event: UsageEvent): Owned[] =>
      batch.filter(({ projectId }) => projectId === event.projectId).map((project) => ({ ...project, event }));
    const found = await findInProjects(store, projectIds, requestId);
    if (found.event) return { found: owned(found.event)[0], keptInstead: [] };
    keptInstead.push(...found.keptInstead.flatMap(owned));
  }
  return { keptInstead };
}

/** The first batch is counted already. */
async function findOfToken({ store, id, token }: OfToken<Asked>): Promise<UsageEvent | undefined> {
  const requestId = id('requestId');
  if (token.projectId !== undefined) return (await findEvent(store, token.projectId, requestId)).event;
  let next: string | undefined;
  do {
    if (next !== undefined) await countRead(store);
    const page = await readOpenProjects(store, token.accountId, next);
    const { event } = await findInProjects(store, page.projectIds, requestId);
    if (event) return event;
    ({ next } = page);
  } while (next !== undefined);
  return undefined;
}
