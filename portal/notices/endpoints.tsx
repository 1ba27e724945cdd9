import { useState } from 'react';
import { List as ListIcon, Pencil, Plus, Power, PowerOff, RefreshCw, Trash2, Webhook } from 'lucide-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { useToast } from '../components/announcer.tsx';
import { Button } from '../components/button.tsx';
import { Card, Muted, Below } from '../components/card.tsx';
import { Link } from 'wouter';
import { Empty } from '../components/empty.tsx';
import { Failure } from '../components/form.tsx';
import { List } from '../components/list.tsx';
import { Loaded } from '../components/loaded.tsx';
import { MenuButton } from '../components/menu.tsx';
import type { MenuGroup } from '../components/menu-list.tsx';
import { pages } from '../routes.ts';
import type { AccountPage } from '../session.ts';
import { counted } from '../text/format.ts';
import { Deliveries } from './deliveries.tsx';
import { ChangeEndpoint, DeleteEndpoint, NewEndpoint, RotateSecret } from './endpoint-dialogs.tsx';
import { endpointsQuery, type Endpoint } from './endpoint-queries.ts';
import { shortUrl, twoSecretsUntil } from './endpoint-words.ts';
import css from './endpoints.module.css';
import { SecretDialog, type NewSecret } from './secret-dialog.tsx';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { useAsked, useIsKept } from '../components/use-kept.ts';
import { useNow } from '../components/use-now.ts';

/** The limit of an account. */
const MOST = 5;

interface Asked {
  readonly about: 'change' | 'secret' | 'end' | 'deliveries';
  readonly endpoint: Endpoint;
}

/** The webhook endpoints of an account, for its owners. */
export function Endpoints({ account: { accountId } }: AccountPage) {
  const query = useQuery(endpointsQuery(accountId));
  const { data = [] } = query;
  const [isAdding, setAdding] = useState(useIsKept()('new endpoint'));
  const [wasFirst, setFirst] = useState(false);
  const [asked, setAsked] = useAsked<Asked>(query.data !== undefined, (isKept) => {
    const endpoint = data.find(({ endpointId }) => isKept(`endpoint ${endpointId}`));
    return endpoint && { about: 'change', endpoint };
  });
  const [secret, setSecret] = useState<NewSecret>();
  const onSwitch = useSwitch(accountId);
  const close = (): void => setAsked(undefined);
  const show = (made: NewSecret): void => {
    setFirst(data.length === 0);
    setSecret(made);
    setAdding(false);
    close();
  };
  const groupsOf = (endpoint: Endpoint): MenuGroup[] => {
    const ask = (about: Asked['about']) => () => setAsked({ about, endpoint });
    const isOn = endpoint.status === 'active';
    return [
      {
        entries: [
          { id: 'deliveries', words: 'Deliveries and test', icon: ListIcon, onAction: ask('deliveries') },
          { id: 'change', words: 'Change …', icon: Pencil, onAction: ask('change') },
          { id: 'secret', words: 'New secret …', icon: RefreshCw, onAction: ask('secret') },
          {
            id: 'switch',
            words: isOn ? 'Switch off' : 'Switch on',
            icon: isOn ? PowerOff : Power,
            onAction: () => onSwitch.run(endpoint),
          },
        ],
      },
      { entries: [{ id: 'end', words: 'Delete …', icon: Trash2, isDanger: true, onAction: ask('end') }] },
    ];
  };
  // After the first, the one beside the title comes in place of the one that had the focus.
  const add = (isMain: boolean) => (
    <Button icon={Plus} kind={isMain ? 'primary' : undefined} autoFocus={wasFirst} onPress={() => setAdding(true)}>
      Add endpoint
    </Button>
  );
  return (
    <>
      <Card title="Webhooks" action={data.length > 0 && data.length < MOST && add(false)} isFlush>
        <Failure error={onSwitch.error} />
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
                    cell: (endpoint) => <bdi className={css.address}>{shortUrl(endpoint)}</bdi>,
                  },
                  { heading: 'State', narrow: 'second', cell: (endpoint) => <EndpointState of={endpoint} /> },
                  {
                    heading: 'Notices',
                    narrow: 'secondEnd',
                    cell: ({ kinds }) => <Muted>{counted(kinds.length, 'kind')}</Muted>,
                  },
                  {
                    heading: 'Actions',
                    isActions: true,
                    cell: (endpoint) => (
                      <MenuButton label={`Actions of ${shortUrl(endpoint)}`} groups={groupsOf(endpoint)} />
                    ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {isAdding && <NewEndpoint accountId={accountId} onClose={() => setAdding(false)} onSecret={show} />}
      {asked?.about === 'change' && <ChangeEndpoint accountId={accountId} endpoint={asked.endpoint} onClose={close} />}
      {asked?.about === 'secret' && (
        <RotateSecret accountId={accountId} endpoint={asked.endpoint} onClose={close} onSecret={show} />
      )}
      {asked?.about === 'end' && <DeleteEndpoint accountId={accountId} endpoint={asked.endpoint} onClose={close} />}
      {asked?.about === 'deliveries' && <Deliveries accountId={accountId} endpoint={asked.endpoint} onClose={close} />}
      {secret && <SecretDialog secret={secret.secret} onClosed={() => setSecret(undefined)} />}
    </>
  );
}

/** Switches an endpoint on or off. */
function useSwitch(accountId: string) {
  const client = useQueryClient();
  const tell = useToast();
  return useAction(
    ({ endpointId, status }: Endpoint) => {
      const body = { status: status === 'active' ? ('disabled' as const) : ('active' as const) };
      const params = { path: { accountId, endpointId } };
      return answer(api.PATCH('/api/accounts/{accountId}/endpoints/{endpointId}', { body, params }));
    },
    async ({ status }) => {
      await client.invalidateQueries({ queryKey: endpointsQuery(accountId).queryKey });
      tell(status === 'active' ? 'The endpoint is on.' : 'The endpoint is off.');
    },
  );
}

const BY_WORDS = {
  owner: 'by an owner',
  operator: 'by the platform team',
  failures: 'nothing arrived for three days, or it answered 410',
} as const;

/** Whether an endpoint is on, what is wrong with it, and until when two secrets hold. */
function EndpointState({ of: endpoint }: { readonly of: Endpoint }) {
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
