import { useQuery } from '@tanstack/react-query';
import { attentionQuery, type Attention, type Project } from '../api/queries.ts';
import { Card, Muted } from '../components/card.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Note } from '../components/note.tsx';
import { counted } from '../text/format.ts';
import { EndingKeys } from './ending-keys.tsx';
import css from './home-details.module.css';
import { LatestRefusals } from './latest-refusals.tsx';

interface HomeDetailsProps {
  readonly accountId: string;
  /** For the names of the keys. */
  readonly projects: readonly Project[];
}

/** The latest refusals and the keys that end soon, of all projects. */
export default function HomeDetails({ accountId, projects }: HomeDetailsProps) {
  const query = useQuery(attentionQuery(accountId));
  const names = new Map(projects.map(({ projectId, name }) => [projectId, name]));
  const nameOf = (projectId: string): string => names.get(projectId) ?? projectId;
  if (!query.data) {
    return (
      <Card title="Refusals and keys">
        <Loaded query={query} what="refusals and keys">
          {() => null}
        </Loaded>
      </Card>
    );
  }
  return (
    <Loaded query={query} what="refusals and keys">
      {({ keys, refusals, unread, ...read }) => (
        <>
          {unread.length > 0 && (
            <Note kind="bad">
              <b>Not all could be read.</b> Refusals and keys of {unread.map(nameOf).join(', ')} are missing here. They
              are read again in a minute.
            </Note>
          )}
          <div className={css.both}>
            <Card title="Latest refusals" foot={<Muted>{boundsOf(read)}</Muted>} isFlush={refusals.length > 0}>
              <LatestRefusals accountId={accountId} refusals={refusals} nameOf={nameOf} />
            </Card>
            <Card title="Keys that need you" isFlush={keys.length > 0}>
              <EndingKeys accountId={accountId} keys={keys} nameOf={nameOf} />
            </Card>
          </div>
        </>
      )}
    </Loaded>
  );
}

/** How many projects were searched: an empty list says no more than that. */
const boundsOf = ({ lookedAt: { projects, requests }, hasMore }: Pick<Attention, 'lookedAt' | 'hasMore'>): string =>
  `From the last 7 days, in the newest ${requests} requests of ${hasMore ? `${counted(projects, 'project')}; there are more` : 'each project'}.`;
