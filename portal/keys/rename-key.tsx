import { useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { refreshAccount, type Key } from '../api/queries.ts';
import { Dialog, DialogBody } from '../components/dialog.tsx';
import { RenameForm } from '../components/rename-form.tsx';
import { KeyName } from './key-name.tsx';

interface RenameKeyProps {
  readonly accountId: string;
  readonly projectId: string;
  readonly apiKey: Key;
  readonly onClose: () => void;
}

/** Renames a key. */
export function RenameKey({ accountId, projectId, apiKey, onClose }: RenameKeyProps) {
  const client = useQueryClient();
  const params = { path: { accountId, projectId, keyId: apiKey.keyId } };
  return (
    <Dialog title={<>Rename {<KeyName of={apiKey} />}</>} onClose={onClose}>
      <DialogBody>
        <RenameForm
          name={apiKey.name ?? ''}
          send={(body) =>
            answer(api.PATCH('/api/accounts/{accountId}/projects/{projectId}/keys/{keyId}', { body, params }))
          }
          onDone={() => refreshAccount(client, accountId)}
          onClose={onClose}
        />
      </DialogBody>
    </Dialog>
  );
}
