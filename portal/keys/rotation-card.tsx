import { useQuery } from '@tanstack/react-query';
import { keyQuery, keysQuery, type ProjectIds } from '../api/queries.ts';
import type { Key, KeyDetails, UsageEvent } from '../api/schemas.ts';
import { Button, ButtonLink } from '../components/button.tsx';
import { Card, Muted, Row } from '../components/card.tsx';
import { Meter } from '../components/meter.tsx';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { useNow } from '../components/use-now.ts';
import { pages } from '../routes.ts';
import { useMayChange } from '../session.ts';
import { counted, formatFull, formatSpan } from '../text/format.ts';
import { ShownKey } from './key-name.tsx';
import { LastUsed } from './last-use.tsx';
import { adviceOn, isInGrace, sendersOf, worksOf } from './rotation.ts';
import css from './rotation-card.module.css';
import { Link } from 'wouter';

interface RotationCardProps extends ProjectIds {
  /** The key of the page: the old one of a rotation, or the new one. */
  readonly of: KeyDetails;
  /** Its newest requests. */
  readonly latest: readonly UsageEvent[];
  readonly onEnd: (old: Key) => void;
}

/** A rotation whose grace has not ended: both keys, the use of the old one, and whether it is safe to end it. */
export function RotationCard({ accountId, projectId, of: key, latest, onEnd }: RotationCardProps) {
  const nowMs = useNow();
  const mayChange = useMayChange(accountId);
  const { data: active = [] } = useQuery(keysQuery(accountId, projectId));
  const predecessor = active.find(({ replacedBy }) => replacedBy === key.keyId);
  const isOld = isInGrace(key, nowMs);
  const query = useQuery({
    ...keyQuery(accountId, projectId, predecessor?.keyId ?? ''),
    enabled: !isOld && predecessor !== undefined,
  });
  const old = isOld ? key : query.data;
  if (!old || !isInGrace(old, nowMs)) return null;
  const successor = isOld ? active.find(({ keyId }) => keyId === key.replacedBy) : key;
  const rotation = { old, successor, newest: isOld ? latest[0] : undefined };
  const { kind, words, why } = adviceOn(rotation, nowMs);
  const { expiresAt, sinceRotation } = old;
  const endMs = Date.parse(expiresAt ?? '');
  const senders = isOld && sinceRotation ? sendersOf(latest, sinceRotation.replacedAt) : [];
  const requests = pages.keyRequests(accountId, projectId, old.keyId);
  return (
    <Card
      title={`Rotation: ${worksOf(rotation)}`}
      action={
        <Muted>
          The old key ends on <Time of={expiresAt ?? ''} as="minute" />, in {formatSpan(endMs - nowMs)}
        </Muted>
      }
      isFlush
      foot={
        <>
          <span>{why}</span>
          <Row>
            <ButtonLink kind="quiet" href={requests}>
              Its requests
            </ButtonLink>
            {mayChange && (
              <Button kind="danger" onPress={() => onEnd(old)}>
                End the old key …
              </Button>
            )}
          </Row>
        </>
      }
    >
      <div className={css.keys}>
        <div className={css.key}>
          <Muted>Old key</Muted>
          <KeyLink accountId={accountId} projectId={projectId} of={old} isHere={isOld} />
          {sinceRotation && <Grace since={sinceRotation.replacedAt} endMs={endMs} nowMs={nowMs} />}
          <p>
            {sinceRotation && (
              <>
                {sinceRotation.complete ? '' : 'At least '}
                {counted(sinceRotation.requests, 'request')} since{' '}
                {sinceRotation.countedFrom === sinceRotation.replacedAt ? (
                  'the rotation'
                ) : (
                  <Time of={sinceRotation.countedFrom} as="second" />
                )}
                ,{' '}
              </>
            )}
            <UsedAt of={old} />
          </p>
          {senders.length > 0 && (
            <p>
              Its newest requests were sent by <bdi>{senders.join(', ')}</bdi>
            </p>
          )}
          <State kind={kind}>{words}</State>
        </div>
        <div className={css.key}>
          <Muted>New key</Muted>
          {successor ? (
            <>
              <KeyLink accountId={accountId} projectId={projectId} of={successor} isHere={!isOld} />
              <p>
                Created <Time of={successor.createdAt} as="minute" />, <UsedAt of={successor} />
              </p>
              <SuccessorState of={successor} />
            </>
          ) : (
            <State kind="over">Does not work any more</State>
          )}
        </div>
      </div>
    </Card>
  );
}

/** The share of a grace that is over. */
const Grace = ({ since, endMs, nowMs }: { readonly since: string; readonly endMs: number; readonly nowMs: number }) => {
  const sinceMs = Date.parse(since);
  const words = `${formatSpan(nowMs - sinceMs)} of ${formatSpan(endMs - sinceMs)} are over`;
  return (
    <div>
      <Meter label="Grace" value={Math.max(0, nowMs - sinceMs)} max={endMs - sinceMs} words={words} isPlain />
      <div className={css.ends}>
        <span title={formatFull(since)}>rotated {formatSpan(nowMs - sinceMs)} ago</span>
        <span>{words}</span>
      </div>
    </div>
  );
};

function SuccessorState({ of: { paused, lastUsed } }: { readonly of: Key }) {
  if (paused) return <State kind="warn">Paused</State>;
  return <State kind={lastUsed === null ? 'wait' : 'good'}>{lastUsed === null ? 'Not used yet' : 'In use'}</State>;
}

const UsedAt = ({ of: key }: { readonly of: Key }) =>
  key.lastUsed === null ? (
    'not used yet'
  ) : (
    <>
      last used <LastUsed of={key} />
    </>
  );

interface KeyLinkProps extends ProjectIds {
  readonly of: Key;
  /** Whether it is the key of the present page. */
  readonly isHere: boolean;
}

/** The shown characters of a key, as a link to its page. */
function KeyLink({ accountId, projectId, of: key, isHere }: KeyLinkProps) {
  const text = <ShownKey of={key} />;
  if (isHere) return <span>{text} (this one)</span>;
  return (
    <span>
      <Link href={pages.key(accountId, projectId, key.keyId)}>{text}</Link>
    </span>
  );
}
