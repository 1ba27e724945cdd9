import { useQuery, type QueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { auditQuery } from '../api/people-queries.ts';
import { refreshAccounts, refreshSession, type Member, type Role, type Account } from '../api/queries.ts';
import { useRemoval } from '../api/use-action.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { useNames } from '../audit/use-names.ts';
import { useDialogChange } from '../components/use-dialog-change.ts';
import { KeyName } from '../keys/key-name.tsx';
import { noteLeft } from '../left.ts';
import { Link } from 'wouter';
import { pages } from '../routes.ts';
import { tokensQuery } from '../tokens/token-queries.ts';
import { activeOf } from '../tokens/words.ts';
import { whoIs } from './members.ts';
import { useState } from 'react';
import { Choice } from '../components/fields.tsx';
import { isolated } from '../text/names.ts';
import { A_ROLE, ROLE_OPTIONS } from '../text/roles.ts';
import { Button } from '../components/button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../components/dialog.tsx';

const MEMBER = '/api/accounts/{accountId}/members/{memberId}';
const MOST_KEYS_SHOWN = 5;

interface MemberDialogProps {
  readonly accountId: string;
  readonly member: Member;
  readonly isSelf: boolean;
  readonly onClose: () => void;
}

/** Asks before a person leaves or is removed, or an invitation is withdrawn. */
export function RemoveDialog({ accountId, member, isSelf, onClose }: MemberDialogProps) {
  const params = { path: { accountId, memberId: member.memberId } };
  const leave = (client: QueryClient): Promise<void> => {
    noteLeft(member.memberId);
    return refreshSession(client);
  };
  const { title, sentence, word, done } = wordsFor(member, isSelf);
  const action = useDialogChange<undefined, unknown>(
    onClose,
    useRemoval(() => answer(api.DELETE(MEMBER, { params }))),
    () => done,
    isSelf ? leave : undefined,
  );
  return (
    <ConfirmDialog
      title={
        <>
          {title}
          {!isSelf && (
            <>
              {' '}
              <bdi>{whoIs(member)}</bdi>
            </>
          )}
          ?
        </>
      }
      action={action}
      onConfirm={() => action.run(undefined)}
      onClose={onClose}
      word={word}
      isDanger
    >
      <p>{sentence}</p>
      {!isSelf && member.status === 'active' && <TheirKeys accountId={accountId} memberId={member.memberId} />}
      {!isSelf && member.role === 'owner' && <TheirTokens accountId={accountId} memberId={member.memberId} />}
    </ConfirmDialog>
  );
}

/**
 * The keys that a member made, also by rotations, and that still work: they are the account's. Where some may be missing
 * here, the audit is one press away.
 */
function TheirKeys({ accountId, memberId }: { readonly accountId: string; readonly memberId: string }) {
  const filter = { actor: memberId, action: 'key.create' };
  const { data, isPending } = useQuery(auditQuery(accountId, filter));
  const names = useNames(accountId, data?.events ?? [], 0);
  if (isPending || names.isReading) return null;
  const working = (data?.events ?? []).flatMap(({ projectId, keyId }) => {
    const key = names.key(keyId ?? '');
    return key && projectId !== null ? [{ key, projectId }] : [];
  });
  const isAll = data?.cursor === null && names.isWhole && working.length <= MOST_KEYS_SHOWN;
  return (
    <>
      {working.length > 0 && (
        <>
          <p>Keys that they made:</p>
          <ul>
            {working.slice(0, MOST_KEYS_SHOWN).map(({ key, projectId }) => (
              <li key={key.keyId}>
                <Link href={pages.key(accountId, projectId, key.keyId)}>
                  <KeyName of={key} />
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
      {!isAll && (
        <p>
          <Link href={`${pages.audit(accountId)}?${new URLSearchParams(filter).toString()}`}>
            See all keys that they made
          </Link>
        </p>
      )}
    </>
  );
}

/** The tokens that an owner made. They are the account's, and outlive the owner. */
function TheirTokens({ accountId, memberId }: { readonly accountId: string; readonly memberId: string }) {
  const { data = [] } = useQuery(tokensQuery(accountId));
  const theirs = activeOf(data).filter(({ createdBy }) => createdBy === memberId);
  if (theirs.length === 0) return null;
  return (
    <p>
      Management tokens that they made still work: <bdi>{theirs.map(({ name }) => name).join(', ')}</bdi>. Revoke those
      that they know under <Link href={pages.tokens(accountId)}>Tokens</Link>.
    </p>
  );
}

function wordsFor(member: Member, isSelf: boolean) {
  if (isSelf) {
    return {
      title: 'Leave this account',
      sentence: 'You no longer see it. An owner can invite you again.',
      word: 'Leave',
      done: 'You have left the account.',
    };
  }
  if (member.status === 'invited') {
    return {
      title: 'Withdraw the invitation of',
      sentence: 'They can no longer accept it. You can invite them again.',
      word: 'Withdraw',
      done: 'The invitation is withdrawn.',
    };
  }
  return {
    title: 'Remove',
    sentence:
      'They no longer see the account, from their next request on. Keys still work: rotate those that they know.',
    word: 'Remove',
    done: `${isolated(whoIs(member))} is removed.`,
  };
}

/** Changes the role of a member. */
export function RoleDialog({ accountId, member, isSelf, onClose }: MemberDialogProps) {
  const params = { path: { accountId, memberId: member.memberId } };
  const [role, setRole] = useState<Role>(member.role);
  const action = useDialogChange(
    onClose,
    (body: { role: Role }) => answer(api.PATCH(MEMBER, { body, params })),
    (body) => `${isolated(whoIs(member))} is ${A_ROLE[body.role]} now.`,
    // It may be the person's own role.
    (client) => Promise.all([refreshAccounts(client), refreshSession(client)]),
  );
  return (
    <ConfirmDialog
      title={<>Role of {<bdi>{whoIs(member)}</bdi>}</>}
      action={action}
      onConfirm={() => action.run({ role })}
      onClose={onClose}
      word="Change role"
    >
      <Choice<Role> label="Role" name="role" value={role} onChange={setRole} options={ROLE_OPTIONS} />
      {isSelf && role !== 'owner' && (
        <p>As {A_ROLE[role]} you no longer manage the team. Only an owner can undo this.</p>
      )}
    </ConfirmDialog>
  );
}

interface LastOwnerDialogProps {
  readonly account: Account;
  readonly onClose: () => void;
}

/** Explains to the only owner why they cannot leave or become a member, and what they can do first. */
export const LastOwnerDialog = ({ account: { accountId, name }, onClose }: LastOwnerDialogProps) => (
  <Dialog title="You are the only owner" onClose={onClose} role="alertdialog">
    <DialogBody>
      <p>
        An account needs an owner. You are the only one in <bdi>{name}</bdi>, so you cannot leave or become a member.
      </p>
      <p>
        First make another member an owner, or invite an owner, who counts once they accept. If nobody needs the account
        any more, close it in its <Link href={pages.settings(accountId)}>settings</Link>.
      </p>
    </DialogBody>
    <DialogFoot>
      <Button onPress={onClose} autoFocus>
        Close
      </Button>
    </DialogFoot>
  </Dialog>
);
