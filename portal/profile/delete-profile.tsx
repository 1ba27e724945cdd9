import { useState } from 'react';
import { useQueries } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { membersQuery, type Account } from '../api/queries.ts';
import { useAction, useRemoval } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Row } from '../components/card.tsx';
import { TypedDialog } from '../components/typed-dialog.tsx';
import { afterDeletion, pages } from '../routes.ts';
import { useSession } from '../session.ts';
import { isOnlyOwner } from '../team/members.ts';
import { ownName } from '../text/names.ts';
import { Link } from 'wouter';
import { Note } from '../components/note.tsx';
import css from './owner-first.module.css';

/** The deletion of a profile: what is deleted, what stays, and what the person must do first. */
export function DeleteProfile() {
  const { user, accounts } = useSession();
  const [isAsking, setAsking] = useState(false);
  const owned = accounts.filter(({ role }) => role === 'owner');
  const queries = useQueries({ queries: owned.map(({ accountId }) => membersQuery(accountId)) });
  const onlyOwned = owned.filter(({ memberId }, index) => isOnlyOwner(queries[index]?.data ?? [], memberId));
  const action = useAction<undefined, unknown>(
    // Without the person no session is valid.
    useRemoval(() => answer(api.DELETE('/api/profile')), 'NOT_SIGNED_IN'),
    () => location.assign(afterDeletion),
  );
  return (
    <>
      <p>
        Your name, address and place in every account are deleted. Projects, keys and your user at the sign-in stay. You
        cannot undo this.
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
          <p>You leave every account that you are in, and are signed out everywhere. This cannot be undone.</p>
          {action.error && action.error.accounts.length > 0 && <OwnerFirst accounts={action.error.accounts} />}
        </TypedDialog>
      )}
    </>
  );
}

interface OwnerFirstProps {
  /** The accounts that would be without an owner. */
  readonly accounts: readonly Pick<Account, 'accountId' | 'name'>[];
}

/** What the only owner of accounts must do before the deletion of the profile. */
const OwnerFirst = ({ accounts }: OwnerFirstProps) => (
  <Note kind="warn">
    <p>
      An account keeps an owner, and you are the only one of these. First make somebody else an owner there, or close
      the account:
    </p>
    <ul className={css.accounts}>
      {accounts.map(({ accountId, name }) => (
        <li key={accountId}>
          <bdi>{name}</bdi>: <Link href={pages.team(accountId)}>its team</Link>,{' '}
          <Link href={pages.settings(accountId)}>its settings</Link>
        </li>
      ))}
    </ul>
  </Note>
);
