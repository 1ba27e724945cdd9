import { useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { refreshAccount, type Key } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { useAnnounce } from '../components/announcer.tsx';
import { Button } from '../components/button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../components/dialog.tsx';
import { Failure } from '../components/form.tsx';
import { nameOf } from './key-view.ts';
import { LastUse } from './last-use.tsx';

interface RevokeDialogProps {
  readonly accountId: string;
  readonly projectId: string;
  readonly apiKey: Key;
  readonly onClose: () => void;
}

/** Asks before a key is revoked: it ends at once and for good. */
export function RevokeDialog({ accountId, projectId, apiKey, onClose }: RevokeDialogProps) {
  const client = useQueryClient();
  const announce = useAnnounce();
  const { run, isPending, error } = useAction(
    () => {
      const params = { path: { accountId, projectId, keyId: apiKey.keyId } };
      return answer(api.POST('/api/accounts/{accountId}/projects/{projectId}/keys/{keyId}/revoke', { params }));
    },
    async () => {
      await refreshAccount(client, accountId);
      announce(`Revoked ${nameOf(apiKey)}.`);
      onClose();
    },
  );
  return (
    <Dialog title={<>Revoke {<bdi>{nameOf(apiKey)}</bdi>}?</>} onClose={onClose} role="alertdialog">
      <DialogBody>
        <LastUse of={apiKey} />
        <p>
          Requests with this key are refused from the next one on, with <code>API_KEY_REVOKED</code>. Those under way
          are answered. A revoked key never works again.
        </p>
        <Failure error={error} />
      </DialogBody>
      <DialogFoot>
        <Button onPress={onClose} autoFocus>
          Cancel
        </Button>
        <Button kind="danger" isPending={isPending} onPress={() => run(undefined)}>
          Revoke key
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
