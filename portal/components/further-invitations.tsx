import { useState } from 'react';
import { readInvitations, type InvitationPage } from '../api/people-queries.ts';
import type { Invitation } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { InvitationNote } from './invitation.tsx';
import { More } from './more.tsx';

interface FurtherInvitationsProps {
  /** The position after the newest ones, which come with the session. */
  readonly cursor: string;
  readonly onGone: (invitation: Invitation) => void;
}

/** The invitations after the newest, page by page. */
export function FurtherInvitations({ cursor, onGone }: FurtherInvitationsProps) {
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
