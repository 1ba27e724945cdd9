import { answer, api } from '../api/client.ts';
import { dropKept } from '../api/kept-words.ts';
import type { PortalError } from '../api/problem.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from './button.tsx';
import { Failure } from './form.tsx';

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

/** Ends the sessions in every browser. */
export function SignOutEverywhere() {
  const { run, isPending, error } = useSignOut();
  return (
    <>
      <Button isPending={isPending} onPress={() => run(true)}>
        Sign out everywhere
      </Button>
      <Failure error={error} />
    </>
  );
}
