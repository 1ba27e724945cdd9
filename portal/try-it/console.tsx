import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { projectsQuery, type Account, type Session } from '../api/queries.ts';
import { Loaded } from '../components/loaded.tsx';
import { Select } from '../components/select.tsx';
import type { Ping } from '../keys/ping.ts';
import { pages } from '../routes.ts';
import { mayChange } from '../text/roles.ts';
import { Bench } from './bench.tsx';
import { newOrder } from './requests.ts';

const FIRST_BODY = '{"clientRequestId":"a"}';

interface ConsoleProps {
  readonly session: Session;
  /** The last open account. */
  readonly account: Account | undefined;
}

/** Sends pings from the page, in a project of the person's choice. */
export default function Console({ session, account }: ConsoleProps) {
  const { gatewayUrl } = session;
  // The page makes a key.
  const accounts = session.accounts.filter(mayChange);
  const [chosen, setChosen] = useState(account?.accountId);
  const [draft, setDraft] = useState<Ping>(() => ({ body: FIRST_BODY, idempotencyKey: newOrder() }));
  const { accountId } = accounts.find((own) => own.accountId === chosen) ?? accounts[0] ?? {};
  const query = useQuery({ ...projectsQuery(accountId ?? ''), enabled: accountId !== undefined });
  if (accountId === undefined) {
    return (
      <p>
        <Link href={pages.welcome}>Make an account</Link> to try it: its first project pays for the pings.
      </p>
    );
  }
  return (
    <>
      {accounts.length > 1 && (
        <Select
          label="Account"
          value={accountId}
          onChange={setChosen}
          options={accounts.map((own) => [own.accountId, own.name])}
        />
      )}
      <Loaded query={query} what="the projects">
        {(projects) =>
          projects.length === 0 ? (
            <p>
              <Link href={pages.account(accountId)}>Make a project</Link> to try it: its units pay for the pings.
            </p>
          ) : (
            <Bench
              accountId={accountId}
              projects={projects}
              gatewayUrl={gatewayUrl}
              draft={draft}
              setDraft={setDraft}
            />
          )
        }
      </Loaded>
    </>
  );
}
