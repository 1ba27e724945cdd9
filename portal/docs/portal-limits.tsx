import { use } from 'react';
import { List } from '../components/list.tsx';
import { signInAddress } from '../routes.ts';
import { SessionContext } from '../session.ts';
import { formatCount } from '../text/format.ts';

/** The limit of each object, by its name in the session. */
const PORTAL_LIMITS = {
  accountsPerPerson: 'Accounts that you have created, closed ones included',
  projectsPerAccount: 'Projects in an account',
  projectsPerPeriod: 'Projects made in an account in a period of the quota, closed ones included',
  activeKeysPerProject: 'Active keys in a project',
  membersPerAccount: 'People in an account, invited ones included',
  invitationsPerAddress: 'Invitations of one address by one person in a day, withdrawn ones included',
  changesPerMinute: 'Changes a minute of one person',
  readsPerMinute: 'Reads of usage and requests a minute of one person',
  signInsPerMinute: 'Sign-ins a minute of one person',
} as const;

/** The limits of this portal, for who is signed in. */
export function PortalLimits() {
  const limits = use(SessionContext)?.limits;
  if (limits === undefined) {
    return (
      <p>
        <a href={signInAddress(location)}>Sign in</a> to see them.
      </p>
    );
  }
  return (
    <List
      label="Limits of the portal"
      items={Object.entries(PORTAL_LIMITS) as [keyof typeof PORTAL_LIMITS, string][]}
      idOf={([name]) => name}
      columns={[
        { heading: 'What', narrow: 'lead', cell: ([, what]) => what },
        { heading: 'At most', narrow: 'end', isNumber: true, cell: ([name]) => formatCount(limits[name]) },
      ]}
    />
  );
}
