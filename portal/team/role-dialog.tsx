import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { refreshAccount, refreshSession, type Member, type Role } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { useToast } from '../components/announcer.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Choice } from '../components/fields.tsx';
import { A_ROLE, ROLE_OPTIONS } from '../text/roles.ts';
import { whoIs } from './members.ts';

interface RoleDialogProps {
  readonly accountId: string;
  readonly member: Member;
  readonly isSelf: boolean;
  readonly onClose: () => void;
}

/** Changes the role of a member. */
export function RoleDialog({ accountId, member, isSelf, onClose }: RoleDialogProps) {
  const client = useQueryClient();
  const tell = useToast();
  const [role, setRole] = useState<Role>(member.role);
  const action = useAction(
    (body: { role: Role }) => {
      const params = { path: { accountId, memberId: member.memberId } };
      return answer(api.PATCH('/api/accounts/{accountId}/members/{memberId}', { body, params }));
    },
    async () => {
      // It may be the person's own role.
      await Promise.all([refreshAccount(client, accountId), refreshSession(client)]);
      tell(`${whoIs(member)} is ${A_ROLE[role]} now.`);
      onClose();
    },
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
