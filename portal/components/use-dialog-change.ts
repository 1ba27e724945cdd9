import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { refreshAccounts } from '../api/queries.ts';
import { useAction, type Action } from '../api/use-action.ts';
import { useToast } from './announcer.tsx';

/**
 * A change that a dialog makes. Afterwards `refresh` reads again what it changed, by default all that the page shows; a
 * toast says what is so now (`toastOf`), and the dialog closes.
 */
export function useDialogChange<Input, Result>(
  onClose: () => void,
  send: (input: Input) => Promise<Result>,
  toastOf: (input: Input) => string,
  refresh: (client: QueryClient) => Promise<unknown> = refreshAccounts,
): Action<Input> {
  const client = useQueryClient();
  const tell = useToast();
  return useAction(send, async (_result, input) => {
    await refresh(client);
    tell(toastOf(input));
    onClose();
  });
}
