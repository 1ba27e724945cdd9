import { useQuery } from '@tanstack/react-query';
import { sessionsQuery } from '../api/people-queries.ts';
import { Card, Facts } from '../components/card.tsx';
import { Id } from '../components/id.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { DeleteProfile } from '../profile/delete-profile.tsx';
import { SessionList } from '../profile/session-list.tsx';
import { useSession } from '../session.ts';

/** The data of the signed-in person, their sessions, and the deletion of the profile. */
export default function ProfilePage() {
  const { user } = useSession();
  const query = useQuery(sessionsQuery);
  return (
    <Page title="Profile">
      <Card title="You">
        <p>This comes from your sign-in. It is read again each time that you sign in.</p>
        <Facts
          facts={[
            ['Name', user.name === null ? 'not told' : <bdi key="name">{user.name}</bdi>],
            ['E-mail address', user.email === null ? 'not told' : <bdi key="email">{user.email}</bdi>],
            ['Address verified', user.emailVerified ? 'yes' : 'no: invitations to it are not shown'],
            ['Your id', <Id key="id" of={user.userId} what="person" />],
          ]}
        />
      </Card>
      <Loaded query={query} what="your sessions">
        {(sessions) => <SessionList sessions={sessions} />}
      </Loaded>
      {/* It is shown after the parts above it have loaded. Otherwise it would move. */}
      {!query.isPending && (
        <Card title="Delete your profile">
          <DeleteProfile />
        </Card>
      )}
    </Page>
  );
}
