import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { answer, api } from '../api/client.ts';
import { refreshSession, type Session, type Invitation } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { useKept } from '../components/use-kept.ts';
import { useToast } from '../components/announcer.tsx';
import { Card } from '../components/card.tsx';
import { TextField } from '../components/fields.tsx';
import { Form, Submit } from '../components/form.tsx';
import { InvitationNote, NotVerified } from '../components/invitation.tsx';
import { Note } from '../components/note.tsx';
import { Page } from '../components/page.tsx';
import { Steps } from '../components/steps.tsx';
import { pages } from '../routes.ts';
import { isolated, nameProblem } from '../text/names.ts';
import { readInvitations, type InvitationPage } from '../api/people-queries.ts';
import { More } from '../components/more.tsx';

/** The way to an account: accept an invitation, or create one. */
export default function WelcomePage({ session }: { readonly session: Session }) {
  const { accounts, invitations, invitationsCursor } = session;
  const isFirst = accounts.length === 0;
  const isInvited = invitations.length > 0 || invitationsCursor !== null;
  const [gone, setGone] = useState<string>();
  const title = isFirst ? 'Welcome' : isInvited ? 'Invitations' : 'New account';
  return (
    <Page title={title} about="An account is a team: it holds projects and their keys.">
      {isFirst && !isInvited && <Steps at={1} />}
      {invitations.map((invitation) => (
        <InvitationNote
          key={invitation.accountId}
          invitation={invitation}
          isMain
          onGone={() => setGone(invitation.accountName)}
        />
      ))}
      {invitationsCursor !== null && (
        <FurtherInvitations cursor={invitationsCursor} onGone={({ accountName }) => setGone(accountName)} />
      )}
      {gone !== undefined && (
        <Note kind="bad" isAlert>
          The invitation to <bdi>{gone}</bdi> is no more: it was withdrawn, or has expired. Ask for another one.
        </Note>
      )}
      <NotVerified />
      <Card {...(isInvited && { title: 'Or make an account of your own' })}>
        <NewAccountForm isMain={!isInvited} />
      </Card>
    </Page>
  );
}

function NewAccountForm({ isMain }: { readonly isMain: boolean }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [name, setName] = useKept('new account', 'name', '');
  const tell = useToast();
  const action = useAction(
    (body: { name: string }, header) => answer(api.POST('/api/accounts', { body, params: { header } })),
    async ({ accountId }, { name: named }) => {
      await refreshSession(client);
      tell(`${isolated(named)} is there. Name its first project.`);
      navigate(pages.account(accountId));
    },
  );
  return (
    <Form action={action} problems={{ name: nameProblem(name) }} onSubmit={() => action.run({ name: name.trim() })}>
      <TextField
        label="Name of the account"
        name="name"
        value={name}
        onChange={setName}
        hint="Your team or company. You can change it later."
        autoFocus={isMain}
      />
      <Submit {...(isMain && { kind: 'primary' as const })} isPending={action.isPending}>
        Create account
      </Submit>
    </Form>
  );
}

interface FurtherInvitationsProps {
  /** The position after the newest ones, which come with the session. */
  readonly cursor: string;
  readonly onGone: (invitation: Invitation) => void;
}

/** The invitations after the newest, page by page. */
function FurtherInvitations({ cursor, onGone }: FurtherInvitationsProps) {
  const [read, setRead] = useState<InvitationPage & { readonly of: string }>();
  // The newest invitations have changed, so the pages that were read begin at a wrong position.
  const known = read?.of === cursor ? read : { invitations: [], cursor, of: cursor };
  const more = useAction(readInvitations, (page: InvitationPage) =>
    setRead({ ...page, invitations: [...known.invitations, ...page.invitations], of: cursor }),
  );
  const without = ({ accountId }: Invitation): void =>
    setRead({ ...known, invitations: known.invitations.filter((other) => other.accountId !== accountId) });
  return (
    <>
      {known.invitations.map((invitation) => (
        <InvitationNote
          key={invitation.accountId}
          invitation={invitation}
          isMain
          onDeclined={() => without(invitation)}
          onGone={() => {
            without(invitation);
            onGone(invitation);
          }}
        />
      ))}
      <More action={more} cursor={known.cursor}>
        More invitations
      </More>
    </>
  );
}
