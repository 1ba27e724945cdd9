import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { refreshAccount, type Key } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { useToast } from '../components/announcer.tsx';
import { Dialog, DialogBody } from '../components/dialog.tsx';
import { Form, Submit } from '../components/form.tsx';
import { useNow } from '../components/use-now.ts';
import { formatDay } from '../text/format.ts';
import { inWords, nameOf } from './key-view.ts';
import { LifetimeChoice, expiryOf, type Lifetime } from './lifetime-choice.tsx';

interface ExpiryDialogProps {
  readonly accountId: string;
  readonly projectId: string;
  readonly apiKey: Key;
  readonly onClose: () => void;
}

/** Changes when a key ends, counted from now. */
export function ExpiryDialog({ accountId, projectId, apiKey, onClose }: ExpiryDialogProps) {
  const { keyId, expiresAt } = apiKey;
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const nowMs = useNow();
  const client = useQueryClient();
  const tell = useToast();
  const action = useAction(
    (body: { expiresAt: string | null }) => {
      const params = { path: { accountId, projectId, keyId } };
      return answer(api.PATCH('/api/accounts/{accountId}/projects/{projectId}/keys/{keyId}', { body, params }));
    },
    async (_answer, { expiresAt: until }) => {
      await refreshAccount(client, accountId);
      tell(`${inWords(apiKey)} ${until === null ? 'never expires now' : `expires on ${formatDay(until, nowMs)} now`}.`);
      onClose();
    },
  );
  return (
    <Dialog
      title={
        <>
          Expiry of <bdi>{nameOf(apiKey)}</bdi>
        </>
      }
      about={expiresAt === null ? 'It never expires.' : `It expires on ${formatDay(expiresAt, nowMs)}.`}
      onClose={onClose}
    >
      <DialogBody>
        <Form
          action={action}
          problems={{ expiresAt: null }}
          onSubmit={() => action.run({ expiresAt: expiryOf(lifetime, nowMs) })}
        >
          <LifetimeChoice label="Expires, from now" name="expiresAt" value={lifetime} onChange={setLifetime} />
          <Submit kind="primary" isPending={action.isPending} onCancel={onClose} isAtEnd>
            Save
          </Submit>
        </Form>
      </DialogBody>
    </Dialog>
  );
}
