import { useQuery } from '@tanstack/react-query';
import { attentionQuery, type Attention, type Project } from '../api/queries.ts';
import { Card, Muted, Unseen } from '../components/card.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Note } from '../components/note.tsx';
import { counted } from '../text/format.ts';
import css from './home-details.module.css';
import { Link } from 'wouter';
import { Prose } from '../components/prose.tsx';
import { Time } from '../components/time.tsx';
import { KeyName } from '../keys/key-name.tsx';
import { explanationOf } from '../requests/explanations.ts';
import { Outcome } from '../requests/outcome.tsx';
import { pages } from '../routes.ts';
import { ButtonLink } from '../components/button.tsx';
import { State } from '../components/state.tsx';
import { useNow } from '../components/use-now.ts';
import { stateOf } from '../keys/key-view.ts';

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

interface LatestRefusalsProps {
  readonly accountId: string;
  readonly refusals: Attention['refusals'];
  /** Of a project. */
  readonly nameOf: (projectId: string) => string;
}

/** Why requests were refused, and what to do. Each entry leads to the newest of its requests. */
function LatestRefusals({ accountId, refusals, nameOf }: LatestRefusalsProps) {
  if (refusals.length === 0) return <Muted>No request was refused.</Muted>;
  return (
    <ul className={css.items}>
      {refusals.map(({ event, simulated, count, key }) => {
        const explanation = event.code === null ? undefined : explanationOf(event.code);
        return (
          <li key={event.requestId}>
            <div className={css.first}>
              <Outcome of={event} />
              <Link href={pages.request(accountId, event.projectId, event)}>
                <Time of={event.occurredAt} as="second" />
              </Link>
            </div>
            <p className={css.muted}>
              <bdi>{nameOf(event.projectId)}</bdi>, {key ? <KeyName of={key} /> : <bdi>{event.keyId}</bdi>}
              {count > 1 && ` · ${counted(count, 'time')}`}
            </p>
            {explanation && (
              <p>
                {simulated ? 'As the request asked with simulate: nothing to do.' : <Prose of={explanation.todo} />}
              </p>
            )}
          </li>
        );
      })}
    </ul>
  );
}

interface EndingKeysProps {
  readonly accountId: string;
  readonly keys: Attention['keys'];
  /** Of a project. */
  readonly nameOf: (projectId: string) => string;
}

/** Keys that expire soon and should be rotated, and replaced keys in their grace. */
function EndingKeys({ accountId, keys, nameOf }: EndingKeysProps) {
  const nowMs = useNow();
  if (keys.length === 0) return <Muted>No key ends in the next 7 days.</Muted>;
  return (
    <ul className={css.items}>
      {keys.map(({ projectId, key }) => {
        const [kind, words] = stateOf(key, nowMs);
        return (
          <li key={key.keyId} className={css.ending}>
            <span>
              <b>
                <KeyName of={key} />
              </b>{' '}
              <span className={css.muted}>
                in <bdi>{nameOf(projectId)}</bdi>
              </span>
            </span>
            <ButtonLink href={pages.key(accountId, projectId, key.keyId)}>
              Open{' '}
              <Unseen>
                the key <KeyName of={key} />
              </Unseen>
            </ButtonLink>
            <State kind={kind}>{words}</State>
            <p className={css.muted}>
              {key.lastUsed === null ? (
                'Not used yet.'
              ) : (
                <>
                  {key.replacedBy === null ? 'Last used' : 'The old key was last used'}{' '}
                  <Time of={key.lastUsed} as="ago" />.
                </>
              )}
            </p>
          </li>
        );
      })}
    </ul>
  );
}
