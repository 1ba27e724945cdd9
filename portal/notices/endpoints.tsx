import { useState } from 'react';
import { Plus, Webhook } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Button } from '../components/button.tsx';
import { Below, Card, Muted } from '../components/card.tsx';
import { Empty } from '../components/empty.tsx';
import { List } from '../components/list.tsx';
import { Loaded } from '../components/loaded.tsx';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { useNow } from '../components/use-now.ts';
import { pages } from '../routes.ts';
import type { AccountPage } from '../session.ts';
import { counted } from '../text/format.ts';
import { NewEndpoint } from './endpoint-dialogs.tsx';
import { endpointsQuery, type Endpoint } from './endpoint-queries.ts';
import { shortUrl, twoSecretsUntil } from './endpoint-words.ts';
import css from './endpoints.module.css';
import { SecretDialog, type NewSecret } from './secret-dialog.tsx';
import { useIsKept } from '../components/use-kept.ts';

/** The limit of an account. */
const MOST = 5;

/** The webhook endpoints of an account, for its owners. Each leads to its page. */
export function Endpoints({ account: { accountId } }: AccountPage) {
  const query = useQuery(endpointsQuery(accountId));
  const { data = [] } = query;
  const [isAdding, setAdding] = useState(useIsKept()('new endpoint'));
  const [wasFirst, setFirst] = useState(false);
  const [secret, setSecret] = useState<NewSecret>();
  const show = (made: NewSecret): void => {
    setFirst(data.length === 0);
    setSecret(made);
    setAdding(false);
  };
  // After the first, the one beside the title comes in place of the one that had the focus.
  const add = (isMain: boolean) => (
    <Button icon={Plus} kind={isMain ? 'primary' : undefined} autoFocus={wasFirst} onPress={() => setAdding(true)}>
      Add endpoint
    </Button>
  );
  return (
    <>
      <Card title="Webhook endpoints" action={data.length > 0 && data.length < MOST && add(false)} isFlush>
        <Loaded query={query} what="the webhook endpoints">
          {(endpoints) =>
            endpoints.length === 0 ? (
              <Empty icon={Webhook} title="No endpoint yet." action={add(true)}>
                Your own server learns of quotas, keys and the team by a signed request.{' '}
                <Link href={pages.webhooks}>How it works</Link>
              </Empty>
            ) : (
              <List
                label="Webhook endpoints"
                items={endpoints}
                idOf={({ endpointId }) => endpointId}
                columns={[
                  {
                    heading: 'Address',
                    narrow: 'lead',
                    cell: (endpoint) => (
                      <Link href={pages.endpoint(accountId, endpoint.endpointId)} className={css.address ?? ''}>
                        <bdi>{shortUrl(endpoint)}</bdi>
                      </Link>
                    ),
                  },
                  { heading: 'State', narrow: 'second', cell: (endpoint) => <EndpointState of={endpoint} /> },
                  {
                    heading: 'Notices',
                    narrow: 'secondEnd',
                    cell: ({ kinds }) => <Muted>{counted(kinds.length, 'kind')}</Muted>,
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {isAdding && <NewEndpoint accountId={accountId} onClose={() => setAdding(false)} onSecret={show} />}
      {secret && <SecretDialog secret={secret.secret} onClosed={() => setSecret(undefined)} />}
    </>
  );
}

const BY_WORDS = {
  owner: 'by an owner',
  operator: 'by the platform team',
  failures: 'nothing arrived for three days, or it answered 410',
} as const;

/** Whether an endpoint is on, what is wrong with it, and until when two secrets hold. */
export function EndpointState({ of: endpoint }: { readonly of: Endpoint }) {
  const until = twoSecretsUntil(endpoint, useNow());
  return (
    <>
      <Working of={endpoint} />
      {until !== undefined && (
        <Below>
          Both secrets work until <Time of={until} as="clock" />
        </Below>
      )}
    </>
  );
}

function Working({ of: { status, disabledBy, failingSince } }: { readonly of: Endpoint }) {
  if (status === 'disabled') {
    return (
      <>
        <State kind={disabledBy === 'owner' ? 'over' : 'bad'}>Off</State>{' '}
        {disabledBy !== null && <Muted>{BY_WORDS[disabledBy]}</Muted>}
      </>
    );
  }
  if (failingSince === null) return <State kind="good">On</State>;
  return (
    <>
      <State kind="warn">Failing</State>{' '}
      <Muted>
        since <Time of={failingSince} as="day" />
      </Muted>
    </>
  );
}
