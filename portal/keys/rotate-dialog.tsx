import { useState } from 'react';
import { answer, api } from '../api/client.ts';
import type { Key } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Choice } from '../components/fields.tsx';
import { Id } from '../components/id.tsx';
import { Note } from '../components/note.tsx';
import { Time } from '../components/time.tsx';
import { useNow } from '../components/use-now.ts';
import type { NewKey } from './key-once-dialog.tsx';
import { KeyName } from './key-name.tsx';
import { LastUse } from './last-use.tsx';

interface RotateDialogProps {
  readonly accountId: string;
  readonly projectId: string;
  readonly apiKey: Key;
  /** The predecessor of this key, if the page knows it and it still works. */
  readonly predecessor: Key | undefined;
  readonly onClose: () => void;
  readonly onCreated: (key: NewKey) => void;
}

const HOUR_MS = 3_600_000;
type Grace = '24' | '168' | '0';

/**
 * Replaces a key by a new one. The old key works for a while, or ends at once. At most two keys of a chain work: the
 * key before the old one ends, and the dialog asks for that by name.
 */
export function RotateDialog({ accountId, projectId, apiKey, predecessor, onClose, onCreated }: RotateDialogProps) {
  const [grace, setGrace] = useState<Grace>('24');
  const graceEndMs = useNow() + Number(grace) * HOUR_MS;
  const expiresFirst = apiKey.expiresAt !== null && Date.parse(apiKey.expiresAt) < graceEndMs;
  const action = useAction((body: { graceHours: number; ends?: string }, idempotencyKey) => {
    const params = {
      path: { accountId, projectId, keyId: apiKey.keyId },
      header: { 'Idempotency-Key': idempotencyKey },
    };
    const path = '/api/accounts/{accountId}/projects/{projectId}/keys/{keyId}/rotate';
    return answer(api.POST(path, { body, params }));
  }, onCreated);
  // The list on the page may be stale: the grace of the other key may have begun after it was read.
  const ends = predecessor?.keyId ?? action.error?.ends;
  return (
    <ConfirmDialog
      title={<>Rotate {<KeyName of={apiKey} />}?</>}
      action={action}
      onConfirm={() => action.run({ graceHours: Number(grace), ...(ends !== undefined && { ends }) })}
      onClose={onClose}
      word={ends === undefined ? 'Rotate key' : 'Rotate and end the older key'}
      isDanger={ends !== undefined}
      isFailureHidden={action.error?.ends !== undefined}
    >
      <LastUse of={apiKey} />
      <p>You get a new key, which you see once. Replace the old one with it before the old one ends.</p>
      <Choice<Grace>
        label="The old key still works"
        name="graceHours"
        value={grace}
        onChange={setGrace}
        options={[
          ['24', 'for 24 hours'],
          ['168', 'for 7 days'],
          ['0', 'not at all:', 'its next request is refused'],
        ]}
        {...(expiresFirst && {
          hint: (
            <>
              It expires before that, on <Time of={apiKey.expiresAt ?? ''} as="minute" />.
            </>
          ),
        })}
      />
      {ends !== undefined && (
        <Note kind="warn">
          <p>The key that this one replaced still works. Rotating ends it at once.</p>
          {predecessor ? <LastUse of={predecessor} /> : <Id of={ends} what="key" />}
          <p>Who still uses that one is refused from then on.</p>
        </Note>
      )}
    </ConfirmDialog>
  );
}
