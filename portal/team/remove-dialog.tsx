import { useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { refreshAccount, refreshSession, type Member } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { useAnnounce } from '../components/announcer.tsx';
import { Button } from '../components/button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../components/dialog.tsx';
import { Failure } from '../components/form.tsx';
import { noteLeft } from '../left.ts';
import { whoIs } from './members.ts';

interface RemoveDialogProps {
  readonly accountId: string;
  readonly member: Member;
  readonly isSelf: boolean;
  readonly onClose: () => void;
}

/** Asks before a person leaves, is removed, or an invitation is withdrawn. */
export function RemoveDialog({ accountId, member, isSelf, onClose }: RemoveDialogProps) {
  const client = useQueryClient();
  const announce = useAnnounce();
  const { run, isPending, error } = useAction<undefined, unknown>(
    () => {
      const params = { path: { accountId, memberId: member.memberId } };
      return answer(api.DELETE('/api/accounts/{accountId}/members/{memberId}', { params }));
    },
    async () => {
      if (isSelf) {
        noteLeft(member.memberId);
        await refreshSession(client);
        announce('You have left the account.');
        return;
      }
      await refreshAccount(client, accountId);
      announce(member.status === 'invited' ? 'The invitation is withdrawn.' : `${whoIs(member)} is removed.`);
      onClose();
    },
  );
  const [title, sentence, word] = wordsFor(member, isSelf);
  return (
    <Dialog
      title={
        <>
          {title} <bdi>{isSelf ? '' : whoIs(member)}</bdi>?
        </>
      }
      onClose={onClose}
      role="alertdialog"
    >
      <DialogBody>
        <p>{sentence}</p>
        <Failure error={error} />
      </DialogBody>
      <DialogFoot>
        <Button onPress={onClose} autoFocus>
          Cancel
        </Button>
        <Button kind="danger" isPending={isPending} onPress={() => run(undefined)}>
          {word}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}

function wordsFor({ status }: Member, isSelf: boolean): readonly [title: string, sentence: string, word: string] {
  if (isSelf) return ['Leave this account', 'You see it no more from now on. An owner can invite you again.', 'Leave'];
  return status === 'invited'
    ? ['Withdraw the invitation of', 'It is gone where they sign in. You can invite them again.', 'Withdraw']
    : [
        'Remove',
        'They see the account no more from their next request on. Keys go on: rotate those they knew.',
        'Remove',
      ];
}
