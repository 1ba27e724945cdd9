import { answer, api } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from './button.tsx';
import { Failure } from './form.tsx';

interface SignOutButtonProps {
  /** In every browser. */
  readonly isEverywhere?: boolean;
}

/** Ends the session, and goes to where the provider ends its own. */
export function SignOutButton({ isEverywhere = false }: SignOutButtonProps) {
  const { run, isPending, error } = useAction(
    (everywhere: boolean) => answer(api.POST('/api/sign-out', { body: { everywhere } })),
    ({ location: address }) => location.assign(address),
  );
  return (
    <>
      <Button kind={isEverywhere ? undefined : 'quiet'} isPending={isPending} onPress={() => run(isEverywhere)}>
        {isEverywhere ? 'Sign out everywhere' : 'Sign out'}
      </Button>
      <Failure error={error} />
    </>
  );
}
