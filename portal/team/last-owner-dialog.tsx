import { Link } from 'wouter';
import type { Account } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../components/dialog.tsx';
import { pages } from '../routes.ts';

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
        any more, close it in its <Link href={pages.ending(accountId)}>settings</Link>.
      </p>
    </DialogBody>
    <DialogFoot>
      <Button onPress={onClose} autoFocus>
        Close
      </Button>
    </DialogFoot>
  </Dialog>
);
