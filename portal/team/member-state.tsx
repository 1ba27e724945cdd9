import type { Member } from '../api/queries.ts';
import { Below, Muted } from '../components/card.tsx';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { useNow } from '../components/use-now.ts';
import { invitationEnd } from './members.ts';

/** The state of a person: member, invited until when, or an expired invitation. */
export function MemberState({ of: member }: { readonly of: Member }) {
  const nowMs = useNow();
  if (member.status === 'active') {
    return (
      <>
        <State kind="good">Active</State>
        <MailState of={member} />
      </>
    );
  }
  const end = invitationEnd(member);
  if (Date.parse(end) <= nowMs) {
    return (
      <>
        <State kind="over">Not answered</State>
        <Below>Invite again, or withdraw.</Below>
      </>
    );
  }
  return (
    <>
      <State kind="wait">Invited</State>{' '}
      <Muted>
        until <Time of={end} as="day" />
      </Muted>
      <MailState of={member} />
    </>
  );
}

/** Why a person got no mail. A delivered mail is not mentioned. */
const WORDS: Readonly<Record<string, string>> = {
  held: 'No e-mail: too many invitations of this team came back. For a week, send the link yourself.',
  limited: 'No e-mail: too many were sent today. Send the link yourself.',
  bounced: 'No e-mail: their address takes none.',
  stopped: 'No e-mail: they want none.',
  refused: 'No e-mail: it was not taken.',
};

function MailState({ of: { mail, status } }: { readonly of: Member }) {
  if (mail === 'sent') return status === 'invited' && <Muted> · e-mail sent</Muted>;
  const words = WORDS[mail ?? ''];
  return words !== undefined && <Below>{words}</Below>;
}
