import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { refreshAccounts, type Role } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Row } from '../components/card.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { DialogBody, DialogFoot } from '../components/dialog.tsx';
import { Choice, TextField } from '../components/fields.tsx';
import { Form, Submit } from '../components/form.tsx';
import { useKept } from '../components/use-kept.ts';
import { pages } from '../routes.ts';
import { useSession } from '../session.ts';
import { INVITATION_DAYS } from './members.ts';
import { ROLE_OPTIONS } from '../text/roles.ts';

interface InviteFormProps {
  readonly accountId: string;
  readonly onClose: () => void;
}

/** Invites a person by address. Then it says whether they get a mail, and what to send them otherwise. */
export function InviteForm({ accountId, onClose }: InviteFormProps) {
  const client = useQueryClient();
  const [email, setEmail] = useKept('invite', 'email', '');
  const [role, setRole] = useKept<Role>('invite', 'role', 'member');
  const [invited, setInvited] = useState<string>();
  const action = useAction(
    (body: { email: string; role: Role }, header) => {
      const params = { path: { accountId }, header };
      return answer(api.POST('/api/accounts/{accountId}/members', { body, params }));
    },
    (_answer, body) => {
      setInvited(body.email);
      // Sent, so no longer to be kept.
      setEmail('');
      setRole('member');
      void refreshAccounts(client);
    },
  );
  if (invited !== undefined) return <Invited accountId={accountId} email={invited} onClose={onClose} />;
  return (
    <DialogBody>
      <Form
        action={action}
        problems={{ email: emailProblem(email) }}
        onSubmit={() => action.run({ email: email.trim(), role })}
      >
        <TextField
          label="E-mail address"
          name="email"
          inputMode="email"
          value={email}
          onChange={setEmail}
          hint="The one that they sign in with."
          autoFocus
        />
        <Choice<Role> label="Role" name="role" value={role} onChange={setRole} options={ROLE_OPTIONS} />
        <Submit kind="primary" isPending={action.isPending} onCancel={onClose}>
          Invite
        </Submit>
      </Form>
    </DialogBody>
  );
}

const emailProblem = (email: string): string | null =>
  /^\S+@\S+$/.test(email.trim()) ? null : 'Enter an e-mail address.';

interface InvitedProps extends InviteFormProps {
  readonly email: string;
}

function Invited({ accountId, email, onClose }: InvitedProps) {
  const { hasMail } = useSession();
  // With mail, the link to send by hand is that of the mail. Without mail, the portal's address is enough.
  const address = hasMail ? location.origin + pages.invitation(accountId) : location.origin;
  return (
    <>
      <DialogBody>
        <p>
          <bdi>{email}</bdi> is invited for {INVITATION_DAYS} days.{' '}
          {hasMail
            ? 'They get an e-mail with this link. If none can be sent, the page Team says why: then send the link yourself.'
            : 'The portal sends no e-mail. Send them this address yourself.'}{' '}
          The invitation is there when they sign in with <bdi>{email}</bdi>.
        </p>
        <Row>
          <code>{address}</code>
          <CopyButton text={address} what={hasMail ? 'the link' : 'the address'} />
        </Row>
      </DialogBody>
      <DialogFoot>
        <Button kind="primary" onPress={onClose} autoFocus>
          Done
        </Button>
      </DialogFoot>
    </>
  );
}
