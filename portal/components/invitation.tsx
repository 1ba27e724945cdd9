import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { answer, api } from '../api/client.ts';
import type { PortalError } from '../api/problem.ts';
import { refreshSession, type Invitation } from '../api/queries.ts';
import { useAction, useRemoval } from '../api/use-action.ts';
import { pages } from '../routes.ts';
import { useSession } from '../session.ts';
import { isolated } from '../text/names.ts';
import { A_ROLE } from '../text/roles.ts';
import { useToast } from './announcer.tsx';
import { Button } from './button.tsx';
import { Muted, Row } from './card.tsx';
import { Failure } from './form.tsx';
import { Note } from './note.tsx';
import { Time } from './time.tsx';

interface InvitationNoteProps {
  readonly invitation: Invitation;
  /** Accepting is the primary action of the page. */
  readonly isMain?: boolean;
  readonly onDeclined?: () => void;
  /** It was withdrawn, or has expired, when it was answered. */
  readonly onGone?: () => void;
}

/** An invitation, to be accepted or declined. */
export function InvitationNote({ invitation, isMain = false, onDeclined, onGone }: InvitationNoteProps) {
  const { accountId, accountName, role, expiresAt } = invitation;
  const client = useQueryClient();
  const tell = useToast();
  const [, navigate] = useLocation();
  const params = { path: { accountId } };
  const onRefused = ({ code }: PortalError): void => {
    if (code === 'NOT_FOUND') onGone?.();
  };
  const accept = useAction(
    () => answer(api.POST('/api/invitations/{accountId}/accept', { params })),
    async () => {
      await refreshSession(client);
      tell(`You are in ${isolated(accountName)} now.`);
      navigate(pages.account(accountId));
    },
    onRefused,
  );
  const decline = useAction(
    useRemoval(() => answer(api.POST('/api/invitations/{accountId}/decline', { params }))),
    async () => {
      onDeclined?.();
      await refreshSession(client);
      tell('The invitation is declined.');
    },
    onRefused,
  );
  return (
    <Note
      action={
        <Row>
          <Button
            kind={isMain ? 'primary' : undefined}
            isPending={accept.isPending}
            onPress={() => accept.run(undefined)}
          >
            Accept
          </Button>
          <Button kind="quiet" isPending={decline.isPending} onPress={() => decline.run(undefined)}>
            Decline
          </Button>
        </Row>
      }
    >
      <p>
        <Inviter {...invitation} /> invited you to{' '}
        <b>
          <bdi>{accountName}</bdi>
        </b>{' '}
        as {A_ROLE[role]}. Accept it by <Time of={expiresAt} as="day" />.
      </p>
      <Failure error={accept.error ?? decline.error} />
    </Note>
  );
}

/** Why a person may see no invitation, where the sign-in does not verify their address. */
export const NotVerified = () =>
  !useSession().user.emailVerified && (
    <Note kind="warn">
      The sign-in does not say that your address is verified, so you see no invitations to it. Verify it there, then
      sign in again.
    </Note>
  );

/** The inviter: the platform team in our own words, or a person by the name that they chose, in quotes. */
const Inviter = ({ invitedBy, invitedByKind }: Invitation) =>
  invitedByKind === 'operator' ? (
    <b>The platform team</b>
  ) : (
    <>
      A person who goes by {/* What a person calls themself is no word of the portal's. */}
      <Muted>
        <q>
          <bdi>{invitedBy}</bdi>
        </q>
      </Muted>
    </>
  );
