import { useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { refreshAccount, type Key } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { useToast } from '../components/announcer.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { KeyName } from './key-name.tsx';
import { inWords } from './key-view.ts';
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
  const tell = useToast();
  const action = useAction(
    () => {
      const params = { path: { accountId, projectId, keyId: apiKey.keyId } };
      return answer(api.POST('/api/accounts/{accountId}/projects/{projectId}/keys/{keyId}/revoke', { params }));
    },
    async () => {
      await refreshAccount(client, accountId);
      tell(`${inWords(apiKey)} is revoked. Its next request is refused.`);
      onClose();
    },
  );
  return (
    <ConfirmDialog
      title={<>Revoke {<KeyName of={apiKey} />}?</>}
      action={action}
      onConfirm={() => action.run(undefined)}
      onClose={onClose}
      word="Revoke key"
      isDanger
    >
      <LastUse of={apiKey} />
      <p>
        Its next request is refused with <code>API_KEY_REVOKED</code>. Requests under way are answered. You cannot undo
        this.
      </p>
    </ConfirmDialog>
  );
}
