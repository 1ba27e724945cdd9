import { lazy, Suspense, useEffect, useState, type ComponentType, type ReactNode } from 'react';
import { Redirect, Route, Switch, useLocation, type DefaultParams } from 'wouter';
import { noteSignedIn } from './api/kept-words.ts';
import type { Account, Session } from './api/queries.ts';
import { Crash } from './components/crash.tsx';
import { Waiting } from './components/loaded.tsx';
import { Shell } from './components/shell.tsx';
import { Documentation } from './documentation.tsx';
import { hasLeft } from './left.ts';
import { NotFoundPage } from './pages/not-found.tsx';
import { OutsidePage } from './pages/outside.tsx';
import { HomePage } from './pages/home.tsx';
import { DOCS, pages } from './routes.ts';
import { SessionContext, type AccountPage, type ProjectPage } from './session.ts';

// The pages of a first visit are in the first bundle. The others are fetched when they are opened.
const WelcomePage = lazy(() => import('./pages/welcome.tsx'));
const KeysPage = lazy(() => import('./pages/keys.tsx'));
const KeyPage = lazy(() => import('./pages/key.tsx'));
const RequestsPage = lazy(() => import('./pages/requests.tsx'));
const UsagePage = lazy(() => import('./pages/usage.tsx'));
const ProjectSettingsPage = lazy(() => import('./pages/project-settings.tsx'));
const TeamPage = lazy(() => import('./pages/team.tsx'));
const AuditPage = lazy(() => import('./pages/audit.tsx'));
const SettingsPage = lazy(() => import('./pages/settings.tsx'));
const DevelopersPage = lazy(() => import('./pages/developers.tsx'));
const InvitationPage = lazy(() => import('./pages/invitation.tsx'));
const ProfilePage = lazy(() => import('./pages/profile.tsx'));

/** The page of the address, for a signed-in person. */
export function SignedIn({ session }: { readonly session: Session }) {
  const account = useAccountAround(session);
  const [path] = useLocation();
  const { userId } = session.user;
  useEffect(() => noteSignedIn(userId), [userId, path]);
  return (
    <SessionContext value={session}>
      <Switch>
        <Route path={pages.home}>
          <Home session={session} />
        </Route>
        <Route path={DOCS}>
          <Documentation session={session} account={account} />
        </Route>
        <Route path={`${pages.account(':accountId')}/*?`}>
          {({ accountId = '' }: DefaultParams) => <OfAccount session={session} accountId={accountId} />}
        </Route>
        <Route>
          <Shell session={session} account={account}>
            <Loading>
              <Switch>
                <Route path={pages.welcome}>
                  <WelcomePage session={session} />
                </Route>
                <Route path={pages.invitation(':accountId')}>
                  {({ accountId = '' }: DefaultParams) => <InvitationPage accountId={accountId} />}
                </Route>
                <Route path={pages.profile}>
                  <ProfilePage />
                </Route>
                <Route>
                  <NotFoundPage />
                </Route>
              </Switch>
            </Loading>
          </Shell>
        </Route>
      </Switch>
    </SessionContext>
  );
}

/** The account whose navigation is shown on a page without an account: the previous one, or the only one. */
function useAccountAround({ accounts }: Session): Account | undefined {
  const [location] = useLocation();
  const open = accounts.find(({ accountId }) => `${location}/`.startsWith(`${pages.account(accountId)}/`));
  const [lastId, setLastId] = useState(open?.accountId);
  if (open && open.accountId !== lastId) setLastId(open.accountId);
  return accounts.find(({ accountId }) => accountId === lastId) ?? (accounts.length === 1 ? accounts[0] : undefined);
}

/** This address redirects: to the home of the first account, or to the way to a first account. */
function Home({ session: { accounts, invitations, invitationsCursor } }: { readonly session: Session }) {
  const [first] = accounts;
  const isInvited = invitations.length > 0 || invitationsCursor !== null;
  return <Redirect to={first && !isInvited ? pages.account(first.accountId) : pages.welcome} replace />;
}

/** A page, whose code may have to be fetched. */
function Loading({ children }: { readonly children: ReactNode }) {
  const [location] = useLocation();
  return (
    <Crash at={location}>
      <Suspense fallback={<Waiting what="the page" />}>{children}</Suspense>
    </Crash>
  );
}

interface OfAccountProps {
  readonly session: Session;
  readonly accountId: string;
}

function OfAccount({ session, accountId }: OfAccountProps) {
  const account = session.accounts.find((candidate) => candidate.accountId === accountId);
  const [known, setKnown] = useState(account);
  if (account && account !== known) setKnown(account);
  if (!account) {
    const wasIn = known?.accountId === accountId ? known : undefined;
    if (wasIn && hasLeft(wasIn.memberId)) return <Redirect to={pages.home} replace />;
    return (
      <Shell session={session} account={undefined}>
        <OutsidePage session={session} accountId={accountId} wasIn={wasIn} />
      </Shell>
    );
  }
  const ofAccount = (Page: ComponentType<AccountPage>) => <Page account={account} />;
  const ofProject =
    (Page: ComponentType<ProjectPage>) =>
    ({ projectId = '' }: DefaultParams) => <Page key={projectId} account={account} projectId={projectId} />;
  return (
    <Shell session={session} account={account} key={accountId}>
      <Loading>
        <Switch>
          <Route path={pages.account(accountId)}>{ofAccount(HomePage)}</Route>
          <Route path={pages.keys(accountId, ':projectId')}>{ofProject(KeysPage)}</Route>
          <Route path={pages.key(accountId, ':projectId', ':keyId')}>
            {({ projectId = '', keyId = '' }: DefaultParams) => (
              <KeyPage key={keyId} account={account} projectId={projectId} keyId={keyId} />
            )}
          </Route>
          <Route path={pages.requests(accountId, ':projectId')}>{ofProject(RequestsPage)}</Route>
          <Route path={pages.usage(accountId, ':projectId')}>{ofProject(UsagePage)}</Route>
          <Route path={pages.project(accountId, ':projectId')}>{ofProject(ProjectSettingsPage)}</Route>
          <Route path={`${pages.account(accountId)}/projects/:projectId`}>
            {({ projectId = '' }: DefaultParams) => <Redirect to={pages.keys(accountId, projectId)} replace />}
          </Route>
          <Route path={pages.team(accountId)}>{ofAccount(TeamPage)}</Route>
          <Route path={pages.audit(accountId)}>{ofAccount(AuditPage)}</Route>
          <Route path={`${pages.settings(accountId)}/:tab?`}>
            {({ tab }) => <SettingsPage account={account} tab={tab} />}
          </Route>
          <Route path={`${pages.developers(accountId)}/:place?/:endpointId?`}>
            {({ place, endpointId }) => <DevelopersPage account={account} place={place} endpointId={endpointId} />}
          </Route>
          <Route>
            <NotFoundPage />
          </Route>
        </Switch>
      </Loading>
    </Shell>
  );
}
