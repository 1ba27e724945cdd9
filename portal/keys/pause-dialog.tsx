import { useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { refreshAccount, type Key } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { useToast } from '../components/announcer.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { KeyName } from './key-name.tsx';
import { inWords } from './key-view.ts';
import { LastUse } from './last-use.tsx';

interface PauseDialogProps {
  readonly accountId: string;
  readonly projectId: string;
  readonly apiKey: Key;
  readonly onClose: () => void;
}

/** Asks before a key is paused, or a paused one is resumed. */
export function PauseDialog({ accountId, projectId, apiKey, onClose }: PauseDialogProps) {
  const client = useQueryClient();
  const tell = useToast();
  const { keyId, paused: isPaused } = apiKey;
  const action = useAction(
    () => {
      const params = { path: { accountId, projectId, keyId } };
      const body = { paused: !isPaused };
      return answer(api.PATCH('/api/accounts/{accountId}/projects/{projectId}/keys/{keyId}', { body, params }));
    },
    async () => {
      await refreshAccount(client, accountId);
      tell(
        isPaused
          ? `${inWords(apiKey)} works again, from its next request on.`
          : `${inWords(apiKey)} is paused. Its next request is refused.`,
      );
      onClose();
    },
  );
  return (
    <ConfirmDialog
      title={
        <>
          {isPaused ? 'Resume' : 'Pause'} {<KeyName of={apiKey} />}?
        </>
      }
      action={action}
      onConfirm={() => action.run(undefined)}
      onClose={onClose}
      word={isPaused ? 'Resume key' : 'Pause key'}
    >
      <LastUse of={apiKey} />
      {isPaused ? (
        <p>Its next request is accepted, with the limits that it had.</p>
      ) : (
        <p>
          Its next request is refused with <code>API_KEY_PAUSED</code>, until you resume it. Requests under way are
          answered. It expires as before.
        </p>
      )}
    </ConfirmDialog>
  );
}
