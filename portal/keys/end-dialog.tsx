import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { answer, api } from '../api/client.ts';
import { keyQuery, keysQuery } from '../api/queries.ts';
import { usageQuery } from '../api/usage-queries.ts';
import { Facts, Row } from '../components/card.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Time } from '../components/time.tsx';
import { useDialogChange } from '../components/use-dialog-change.ts';
import { useNow } from '../components/use-now.ts';
import { Outcome } from '../requests/outcome.tsx';
import { latestQuery } from '../requests/recent-requests.tsx';
import { pages } from '../routes.ts';
import { counted, formatSpan } from '../text/format.ts';
import { sharersOf } from './cap.ts';
import type { KeyDialogProps } from './cap-dialog.tsx';
import { KeyName } from './key-name.tsx';
import { inWords } from './key-view.ts';
import { LastUsed } from './last-use.tsx';
import { adviceOn, isInGrace, senderOf } from './rotation.ts';

/** Asks before a key ends, at once and for good, and says what still uses it. */
export function EndDialog(props: KeyDialogProps) {
  const { apiKey, onClose, accountId, projectId } = props;
  const { facts, isUsed, others } = useEvidence(props);
  const isOld = apiKey.replacedBy !== null;
  const action = useDialogChange<undefined, unknown>(
    onClose,
    () => {
      const params = { path: { accountId, projectId, keyId: apiKey.keyId } };
      return answer(api.POST('/api/accounts/{accountId}/projects/{projectId}/keys/{keyId}/revoke', { params }));
    },
    () => `${inWords(apiKey)} is revoked. Its next request is refused.`,
  );
  const word = isOld ? 'End the old key' : 'Revoke key';
  return (
    <ConfirmDialog
      title={
        <>
          {isOld ? 'End the old key' : 'Revoke'} {<KeyName of={apiKey} />}?
        </>
      }
      action={action}
      onConfirm={() => action.run(undefined)}
      onClose={onClose}
      word={isUsed ? 'End it anyway' : word}
      isDanger
    >
      <Facts facts={facts} />
      <p>
        Its next request is refused with <code>API_KEY_REVOKED</code>. Requests under way are answered. You cannot undo
        this.
      </p>
      {others > 0 && (
        <p>
          The {others === 1 ? 'other key of its budget goes' : `${others} other keys of its budget go`} on as before.
        </p>
      )}
      <p>
        Has it leaked?{' '}
        <a href={pages.hasLeaked} target="_blank" rel="noreferrer">
          What to do now
        </a>
      </p>
    </ConfirmDialog>
  );
}

/**
 * What is known of a key's use: its requests since it was rotated, otherwise those of 24 hours, and the newest of them.
 * Each fact has its line before it is read, so that no button moves.
 */
function useEvidence({ apiKey, accountId, projectId }: KeyDialogProps) {
  const nowMs = useNow();
  const ids = { accountId, projectId };
  const { keyId, replacedBy } = apiKey;
  const { data: key, isError } = useQuery(keyQuery(accountId, projectId, keyId));
  const { data: active = [] } = useQuery(keysQuery(accountId, projectId));
  // Read once: the page of the key reads it every few seconds, and the list of keys does not.
  const latest = useQuery({ ...latestQuery(ids, keyId), refetchInterval: false });
  const rotated = key?.sinceRotation ?? undefined;
  const day = useQuery({
    ...usageQuery(ids, '24h', key?.usage.period ?? '', keyId),
    enabled: key !== undefined && !rotated,
  });
  const counts = rotated ?? (day.data && { requests: day.data.total.requests, complete: day.data.complete });
  const newest = latest.data?.events[0];
  const successor = active.find((one) => one.keyId === replacedBy);
  const isUsed =
    key && isInGrace(key, nowMs)
      ? ['bad', 'warn'].includes(adviceOn({ old: key, successor, newest }, nowMs).kind)
      : !apiKey.paused && (counts?.requests ?? 0) > 0;
  const unread = isError || day.isError ? 'could not be read' : '…';
  const ago = rotated && `, ${formatSpan(nowMs - Date.parse(rotated.replacedAt))} ago`;
  const span = rotated || (replacedBy !== null && !key) ? `Since the rotation${ago ?? ''}` : 'In the last 24 hours';
  const requests = counts && `${counts.complete ? '' : 'at least '}${counted(counts.requests, 'request')}`;
  const none = latest.data ? 'not among the newest requests' : latest.isError ? 'could not be read' : '…';
  return {
    isUsed,
    /** The other keys that spend from its budget. */
    others: sharersOf(apiKey, active, nowMs).filter((one) => ![keyId, replacedBy].includes(one.keyId)).length,
    facts: [
      [span, requests ?? unread],
      ['Last used', <LastUsed key="at" of={key ?? apiKey} />],
      ['Last sender', newest ? <bdi key="sender">{senderOf(newest)}</bdi> : none],
      [
        'Example',
        newest ? (
          <Row key="example">
            <Link href={pages.request(accountId, projectId, newest)}>
              <Time of={newest.occurredAt} as="second" />
            </Link>
            <Outcome of={newest} />
          </Row>
        ) : (
          none
        ),
      ],
    ] as const,
  };
}
