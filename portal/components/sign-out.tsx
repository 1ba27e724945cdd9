import { answer, api } from '../api/client.ts';
import { dropKept } from '../api/kept-words.ts';
import type { PortalError } from '../api/problem.ts';
import { useAction } from '../api/use-action.ts';

/** Ends the session, or all sessions, and goes to the provider's sign-out. */
export const useSignOut = (onRefused?: (error: PortalError) => void) =>
  useAction(
    (everywhere: boolean) => answer(api.POST('/api/sign-out', { body: { everywhere } })),
    ({ location: address }) => {
      dropKept();
      location.assign(address);
    },
    onRefused,
  );
