import { useRef, useState } from 'react';
import { useQueries } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { PortalError } from '../api/problem.ts';
import { membersQuery } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Row } from '../components/card.tsx';
import { TypedDialog } from '../components/typed-dialog.tsx';
import { afterDeletion } from '../routes.ts';
import { useSession } from '../session.ts';
import { isOnlyOwner } from '../team/members.ts';
import { ownName } from '../text/names.ts';
import { OwnerFirst } from './owner-first.tsx';

/** The end of one's profile: what goes, what stays, and what its person must do first. */
export function DeleteProfile() {
  const { user, accounts } = useSession();
  const [isAsking, setAsking] = useState(false);
  const owned = accounts.filter(({ role }) => role === 'owner');
  const queries = useQueries({ queries: owned.map(({ accountId }) => membersQuery(accountId)) });
  const onlyOwned = owned.filter(({ memberId }, index) => isOnlyOwner(queries[index]?.data ?? [], memberId));
  /** Whether the profile may be deleted already, by an attempt whose answer did not come. */
  const isOpen = useRef(false);
  const action = useAction<undefined, unknown>(
    () =>
      answer(api.DELETE('/api/profile')).catch((error: unknown) => {
        if (!(error instanceof PortalError)) throw error;
        // Without the person no session holds.
        if (isOpen.current && error.code === 'NOT_SIGNED_IN') return;
        isOpen.current ||= error.isOpen;
        throw error;
      }),
    () => location.assign(afterDeletion),
  );
  return (
    <>
      <p>
        Your name, your address and your place in every account are deleted, and you are signed out everywhere. Projects
        and keys go on: they belong to their accounts. What stays is what you did, in the audit of the accounts, by a
        “former member”; your user at the sign-in, which is not the portal&apos;s; and for 90 days, under a code that
        names nobody, how many accounts you have created: who signs in with that user again is a new person, with no
        more accounts to create than before.
      </p>
      {onlyOwned.length > 0 ? (
        <OwnerFirst accounts={onlyOwned} />
      ) : (
        <Row>
          <Button kind="danger" onPress={() => setAsking(true)}>
            Delete profile
          </Button>
        </Row>
      )}
      {isAsking && (
        <TypedDialog
          title="Delete your profile?"
          expected={ownName(user)}
          mistake="This is not what you are to type."
          word="Delete profile"
          action={action}
          onCancel={() => setAsking(false)}
        >
          <p>You leave every account that you are in. This cannot be undone.</p>
          {action.error && action.error.accounts.length > 0 && <OwnerFirst accounts={action.error.accounts} />}
        </TypedDialog>
      )}
    </>
  );
}
