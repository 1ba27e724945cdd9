import { useState } from 'react';
import { answer, api } from '../api/client.ts';
import type { Key } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../components/dialog.tsx';
import { Choice } from '../components/fields.tsx';
import { Failure } from '../components/form.tsx';
import type { NewKey } from './key-once-dialog.tsx';
import { nameOf } from './key-view.ts';
import { LastUse } from './last-use.tsx';

interface RotateDialogProps {
  readonly accountId: string;
  readonly projectId: string;
  readonly apiKey: Key;
  readonly onClose: () => void;
  readonly onCreated: (key: NewKey) => void;
}

type Grace = '24' | '168' | '0';

/** Replaces a key by a new one: the old one goes on for a while, or ends at once. */
export function RotateDialog({ accountId, projectId, apiKey, onClose, onCreated }: RotateDialogProps) {
  const [grace, setGrace] = useState<Grace>('24');
  const { run, isPending, error } = useAction((graceHours: number, idempotencyKey) => {
    const params = {
      path: { accountId, projectId, keyId: apiKey.keyId },
      header: { 'Idempotency-Key': idempotencyKey },
    };
    const path = '/api/accounts/{accountId}/projects/{projectId}/keys/{keyId}/rotate';
    return answer(api.POST(path, { body: { graceHours }, params }));
  }, onCreated);
  return (
    <Dialog title={<>Rotate {<bdi>{nameOf(apiKey)}</bdi>}?</>} onClose={onClose} role="alertdialog">
      <DialogBody>
        <LastUse of={apiKey} />
        <p>A new key takes its place and is shown once. Put it where the old one is before that one ends.</p>
        <Choice<Grace>
          label="The old key goes on working"
          name="graceHours"
          value={grace}
          onChange={setGrace}
          options={[
            ['24', 'for 24 hours', 'or until it expires, if that is sooner'],
            ['168', 'for 7 days', 'or until it expires, if that is sooner'],
            ['0', 'not at all: it ends at once', 'its next request is refused'],
          ]}
        />
        <Failure error={error} />
      </DialogBody>
      <DialogFoot>
        <Button onPress={onClose} autoFocus>
          Cancel
        </Button>
        <Button isPending={isPending} onPress={() => run(Number(grace))}>
          Rotate key
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
