import { useState } from 'react';
import { answer, api } from '../api/client.ts';
import { dropKept } from '../api/kept-words.ts';
import type { PortalError } from '../api/problem.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from './button.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';

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

/** Ends the sessions in every browser, after a question. */
export function SignOutEverywhere() {
  const action = useSignOut();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button onPress={() => setAsking(true)}>Sign out everywhere</Button>
      {isAsking && (
        <ConfirmDialog
          title="Sign out everywhere?"
          action={action}
          onConfirm={() => action.run(true)}
          onClose={() => setAsking(false)}
          word="Sign out everywhere"
        >
          <p>All your sessions end, this one too. Keys and tokens still work.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
