import { useState } from 'react';
import { Pencil, Power, PowerOff, RefreshCw, Trash2 } from 'lucide-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Redirect } from 'wouter';
import { answer, api } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { useToast } from '../components/announcer.tsx';
import { Button } from '../components/button.tsx';
import { Facts, Row } from '../components/card.tsx';
import { Crumbs } from '../components/crumbs.tsx';
import { Failure } from '../components/form.tsx';
import { Id } from '../components/id.tsx';
import { Loaded } from '../components/loaded.tsx';
import { MenuButton } from '../components/menu.tsx';
import { Page } from '../components/page.tsx';
import { Time } from '../components/time.tsx';
import { useIsKept } from '../components/use-kept.ts';
import { pages } from '../routes.ts';
import type { AccountPage } from '../session.ts';
import { Deliveries } from './deliveries.tsx';
import { ChangeEndpoint, DeleteEndpoint, RotateSecret } from './endpoint-dialogs.tsx';
import { endpointsQuery, type Endpoint } from './endpoint-queries.ts';
import { KIND_WORDS, shortUrl } from './endpoint-words.ts';
import { EndpointState } from './endpoints.tsx';
import { SecretDialog, type NewSecret } from './secret-dialog.tsx';

interface EndpointViewProps extends AccountPage {
  readonly endpointId: string;
}

/** A webhook endpoint: its attributes, what can be done with it, and its deliveries. */
export function EndpointView({ account: { accountId }, endpointId }: EndpointViewProps) {
  const query = useQuery(endpointsQuery(accountId));
  const endpoint = query.data?.find((one) => one.endpointId === endpointId);
  const [asked, setAsked] = useState<'change' | 'secret' | 'end' | undefined>(
    useIsKept()(`endpoint ${endpointId}`) ? 'change' : undefined,
  );
  const [secret, setSecret] = useState<NewSecret>();
  const onSwitch = useSwitch(accountId);
  const close = (): void => setAsked(undefined);
  const isOn = endpoint?.status === 'active';
  const list = pages.endpoints(accountId);
  // It is deleted, here or by another owner.
  if (query.data && !endpoint) return <Redirect to={list} replace />;
  const title = endpoint && shortUrl(endpoint);
  return (
    <Page
      crumbs={
        <Crumbs
          places={[
            ['Developers', pages.developers(accountId)],
            ['Webhooks', list],
          ]}
          here={<bdi>{title ?? '…'}</bdi>}
        />
      }
      title={title}
      tabTitle={`${title ?? 'Endpoint'} · Webhooks`}
      action={
        endpoint && (
          <Row>
            <Button icon={Pencil} onPress={() => setAsked('change')}>
              Change
            </Button>
            <MenuButton
              label={`Actions of ${title}`}
              groups={[
                {
                  entries: [
                    { id: 'secret', words: 'New secret …', icon: RefreshCw, onAction: () => setAsked('secret') },
                    {
                      id: 'switch',
                      words: isOn ? 'Switch off' : 'Switch on',
                      icon: isOn ? PowerOff : Power,
                      onAction: () => onSwitch.run(endpoint),
                    },
                  ],
                },
                {
                  entries: [
                    { id: 'end', words: 'Delete …', icon: Trash2, isDanger: true, onAction: () => setAsked('end') },
                  ],
                },
              ]}
            />
          </Row>
        )
      }
    >
      <Failure error={onSwitch.error} />
      <Loaded query={query} what="the webhook endpoint">
        {() =>
          endpoint && (
            <>
              <Facts
                facts={[
                  ['State', <EndpointState key="state" of={endpoint} />],
                  ['Notices', kindsInWords(endpoint)],
                  ['Created', <Time key="created" of={endpoint.createdAt} as="day" />],
                  ['Endpoint id', <Id key="id" of={endpointId} what="endpoint" />],
                ]}
              />
              <Deliveries accountId={accountId} endpointId={endpointId} />
              {asked === 'change' && <ChangeEndpoint accountId={accountId} endpoint={endpoint} onClose={close} />}
              {asked === 'secret' && (
                <RotateSecret
                  accountId={accountId}
                  endpoint={endpoint}
                  onClose={close}
                  onSecret={(made) => {
                    setSecret(made);
                    close();
                  }}
                />
              )}
              {asked === 'end' && <DeleteEndpoint accountId={accountId} endpoint={endpoint} onClose={close} />}
            </>
          )
        }
      </Loaded>
      {secret && <SecretDialog secret={secret.secret} onClosed={() => setSecret(undefined)} />}
    </Page>
  );
}

const kindsInWords = ({ kinds }: Endpoint): string =>
  KIND_WORDS.filter(([kind]) => kinds.includes(kind))
    .map(([, words], index) => (index === 0 ? words : words.charAt(0).toLowerCase() + words.slice(1)))
    .join(', ');

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
