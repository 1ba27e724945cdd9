import { Link } from 'wouter';
import type { Account } from '../api/queries.ts';
import { Note } from '../components/note.tsx';
import { pages } from '../routes.ts';
import css from './owner-first.module.css';

interface OwnerFirstProps {
  /** The accounts that would be without an owner. */
  readonly accounts: readonly Pick<Account, 'accountId' | 'name'>[];
}

/** What the only owner of accounts must do before the deletion of the profile. */
export const OwnerFirst = ({ accounts }: OwnerFirstProps) => (
  <Note kind="warn">
    <p>
      An account keeps an owner, and you are the only one of these. First make somebody else an owner there, or close
      the account:
    </p>
    <ul className={css.accounts}>
      {accounts.map(({ accountId, name }) => (
        <li key={accountId}>
          <bdi>{name}</bdi>: <Link href={pages.team(accountId)}>its team</Link>,{' '}
          <Link href={pages.ending(accountId)}>its settings</Link>
        </li>
      ))}
    </ul>
  </Note>
);
