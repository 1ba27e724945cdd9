import { useState, type ReactNode } from 'react';
import { Check } from 'lucide-react';
import { useQueries, type UseQueryResult } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Attention, Project } from '../api/queries.ts';
import { dayQuery } from '../api/usage-queries.ts';
import { Button } from '../components/button.tsx';
import { Card, Muted } from '../components/card.tsx';
import { Icon } from '../components/icon.tsx';
import { Loaded } from '../components/loaded.tsx';
import { isNearlyUsedUp } from '../components/meter.tsx';
import { Prose } from '../components/prose.tsx';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { useNow } from '../components/use-now.ts';
import { KeyName } from '../keys/key-name.tsx';
import { stateOf } from '../keys/key-view.ts';
import { explanationOf } from '../requests/explanations.ts';
import { Outcome } from '../requests/outcome.tsx';
import { pages } from '../routes.ts';
import { counted, DAY_MS } from '../text/format.ts';
import { isUsedUp, paceOf, percentUsed, periodEnd } from '../text/quota.ts';
import css from './needs-you.module.css';

/** So many are shown at first. */
const SHOWN = 4;

/** One cause, in the same order of parts whatever it is. */
interface Need {
  readonly id: string;
  readonly what: ReactNode;
  readonly where: ReactNode;
  readonly todo: ReactNode;
  /** What leads there. */
  readonly href: string;
  readonly link: ReactNode;
}

interface NeedsYouProps {
  readonly accountId: string;
  readonly projects: readonly Project[];
  /** Those whose requests of 24 hours are read for their cards. */
  readonly charted: readonly Project[];
  readonly query: UseQueryResult<Attention>;
}

/** What needs somebody, by cause: quotas, refused requests, keys that end soon. */
export function NeedsYou({ accountId, projects, charted, query }: NeedsYouProps) {
  const [isAll, setAll] = useState(false);
  const quotas = useQuotas(accountId, projects);
  const refusals = useRefusals(accountId, projects, charted, query.data?.refusals ?? []);
  const keys = useEndingKeys(accountId, projects, query.data?.keys ?? []);
  const { unread = [] } = query.data ?? {};
  const needs = [...quotas, ...keys.today, ...refusals, ...keys.later];
  if (query.data && !query.error && needs.length === 0 && unread.length === 0) {
    return (
      <p className={css.nothing}>
        <Icon of={Check} /> Nothing needs you. <Muted>{boundsOf(query.data)}</Muted>
      </p>
    );
  }
  return (
    <Card
      title="Needs you"
      isFlush
      action={
        !isAll &&
        needs.length > SHOWN && (
          <Button kind="quiet" onPress={() => setAll(true)}>
            Show all {needs.length}
          </Button>
        )
      }
      foot={query.data && <Muted>{boundsOf(query.data)}</Muted>}
    >
      <ul className={css.needs}>
        {needs.slice(0, isAll ? undefined : SHOWN).map(({ id, what, where, todo, href, link }) => (
          <li key={id}>
            <div>{what}</div>
            <div className={css.where} id={id}>
              {where}
            </div>
            <div className={css.todo}>{todo}</div>
            <Link href={href} className={css.end ?? ''} aria-describedby={id}>
              {link}
            </Link>
          </li>
        ))}
        {unread.length > 0 && (
          <li>
            <State kind="bad">Not all could be read</State>
            <p>
              Refusals and keys of {unread.map((id) => nameIn(projects, id)).join(', ')} are missing here. They are read
              again in a minute.
            </p>
          </li>
        )}
      </ul>
      <Loaded query={query} what="refusals and keys">
        {() => null}
      </Loaded>
    </Card>
  );
}

/** How much was searched: an empty list says no more than that. */
const boundsOf = ({ lookedAt: { projects, requests }, hasMore }: Attention): string =>
  `Refusals of 7 days, found in the newest ${requests} requests of ${hasMore ? `${counted(projects, 'project')}; there are more` : 'each project'}; keys that end within 7 days.`;

const nameIn = (projects: readonly Project[], id: string): string =>
  projects.find(({ projectId }) => projectId === id)?.name ?? id;

const shareOf = ({ quotaUsed, quotaLimit }: Project): number => (quotaLimit ? Math.min(1, quotaUsed / quotaLimit) : 1);

/** Suspended projects, and quotas that are nearly used up or are. */
function useQuotas(accountId: string, projects: readonly Project[]): Need[] {
  const nowMs = useNow();
  const pressed = projects
    .filter((project) => project.status === 'suspended' || isNearlyUsedUp(project))
    .toSorted((one, other) => shareOf(other) - shareOf(one));
  return pressed.map((project) => {
    const { projectId, name, status, period } = project;
    const isSuspended = status === 'suspended';
    const pace = paceOf(project, nowMs);
    return {
      id: projectId,
      what: (
        <State kind={isSuspended || isUsedUp(project) ? 'bad' : 'warn'}>
          {isSuspended ? 'Suspended' : `${percentUsed(project)} of the quota used`}
        </State>
      ),
      where: <bdi>{name}</bdi>,
      todo: (
        <Prose
          of={
            isSuspended
              ? 'Its requests are refused with `PROJECT_SUSPENDED`. Ask the platform team why.'
              : isUsedUp(project)
                ? `Requests are refused until ${periodEnd(period)}. Ask the platform team for more.`
                : `${pace === '' ? '' : `At this pace: ${pace.charAt(0).toLowerCase()}${pace.slice(1)}. `}Ask the platform team for more.`
          }
        />
      ),
      href: pages.usage(accountId, projectId),
      link: 'See usage',
    };
  });
}

/** Of these one request a minute leaves an event. */
const SAMPLED = [401, 403];

/** Why requests were refused, and what to do. Each leads to the newest of its requests. */
function useRefusals(
  accountId: string,
  projects: readonly Project[],
  charted: readonly Project[],
  refusals: Attention['refusals'],
): Need[] {
  // The cards read them.
  const days = useQueries({
    queries: charted.map(({ projectId, period }) => ({
      ...dayQuery({ accountId, projectId }, period),
      enabled: false,
    })),
  });
  /** The newest requests hold only a part of them where there are many: then the sums of the day know the number. */
  const countOf = ({ event, count, isWhole }: Attention['refusals'][number]): string => {
    const at = charted.findIndex(({ projectId }) => projectId === event.projectId);
    const day = days[at];
    if (!isWhole && day?.isPending === true) return '…';
    const ofDay =
      day?.data?.refusals?.find(({ keyId, code }) => keyId === event.keyId && code === event.code)?.requests ?? 0;
    const most = Math.max(count, ofDay);
    const isExact = !SAMPLED.includes(event.status) && (isWhole || (ofDay >= count && day?.data?.complete === true));
    const within = ofDay === most ? ' in 24 h' : isWhole && day?.isPending !== true ? ' in 7 days' : '';
    return `${isExact ? '' : 'at least '}${most === 1 ? 'once' : counted(most, 'time')}${within}`;
  };
  return refusals.map((refused) => {
    const { event, key } = refused;
    const explanation = event.code === null ? undefined : explanationOf(event.code);
    return {
      id: event.requestId,
      what: <Outcome of={event} />,
      where: (
        <>
          <bdi>{nameIn(projects, event.projectId)}</bdi>, {key ? <KeyName of={key} /> : <bdi>{event.keyId}</bdi>} ·{' '}
          {countOf(refused)}
        </>
      ),
      todo: explanation && <Prose of={explanation.todo} />,
      href: pages.request(accountId, event.projectId, event),
      link: <Time of={event.occurredAt} as="second" />,
    };
  });
}

/** Keys that expire soon and should be rotated, and replaced keys in their grace: those that end within a day, and others. */
function useEndingKeys(
  accountId: string,
  projects: readonly Project[],
  keys: Attention['keys'],
): Readonly<Record<'today' | 'later', readonly Need[]>> {
  const nowMs = useNow();
  const needOf = ({ projectId, key }: Attention['keys'][number]): Need => {
    const [kind, words] = stateOf(key, nowMs);
    return {
      id: key.keyId,
      what: <State kind={kind}>{words}</State>,
      where: (
        <>
          <bdi>{nameIn(projects, projectId)}</bdi>, <KeyName of={key} />
        </>
      ),
      todo:
        key.lastUsed === null ? (
          'Not used yet.'
        ) : (
          <>
            {key.replacedBy === null ? 'Last used' : 'The old key was last used'} <Time of={key.lastUsed} as="ago" />.
          </>
        ),
      href: pages.key(accountId, projectId, key.keyId),
      link: 'Open',
    };
  };
  const endsToday = ({ key }: Attention['keys'][number]): boolean =>
    key.expiresAt !== null && Date.parse(key.expiresAt) - nowMs < DAY_MS;
  const { today = [], later = [] } = Object.groupBy(keys, (one) => (endsToday(one) ? 'today' : 'later'));
  return { today: today.map(needOf), later: later.map(needOf) };
}
