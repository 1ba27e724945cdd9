import { useState } from 'react';
import { Braces, RotateCw, Send } from 'lucide-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { useToast } from '../components/announcer.tsx';
import { Button, IconButton } from '../components/button.tsx';
import { Card, Muted, Row } from '../components/card.tsx';
import { CodeBlock } from '../components/code-block.tsx';
import { Empty } from '../components/empty.tsx';
import { Failure } from '../components/form.tsx';
import { Id } from '../components/id.tsx';
import { List } from '../components/list.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Select } from '../components/select.tsx';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { counted } from '../text/format.ts';
import { deliveriesQuery, type Delivery } from './endpoint-queries.ts';
import { figureOf, KIND_WORDS, resultOf } from './endpoint-words.ts';
import css from './endpoints.module.css';

const TEST = 'endpoint.test';
const TYPES = [[TEST, 'A test'] as const, ...KIND_WORDS].map(([type, words]) => [type, `${words}: ${type}`] as const);

const PATH = '/api/accounts/{accountId}/endpoints/{endpointId}';

interface DeliveriesProps {
  readonly accountId: string;
  readonly endpointId: string;
}

/** The newest deliveries to an endpoint: the result of each, a test, and a repeat. */
export function Deliveries({ accountId, endpointId }: DeliveriesProps) {
  const query = useQuery(deliveriesQuery(accountId, endpointId));
  const client = useQueryClient();
  const tell = useToast();
  const onDone = async (): Promise<void> => {
    await client.invalidateQueries({ queryKey: deliveriesQuery(accountId, endpointId).queryKey });
    tell('It is on its way.');
  };
  const path = { accountId, endpointId };
  const [chosen, setChosen] = useState<Delivery['type']>(TEST);
  const test = useAction((body: Pick<Delivery, 'type'>, header) => {
    const params = { path, header };
    return answer(api.POST(`${PATH}/test`, { body, params }));
  }, onDone);
  const repeat = useAction(({ deliveryId }: Pick<Delivery, 'deliveryId'>, header) => {
    const params = { path: { ...path, deliveryId }, header };
    return answer(api.POST(`${PATH}/deliveries/{deliveryId}/repeat`, { params }));
  }, onDone);
  const send = (
    <Row>
      <Select
        label="Type to send"
        plainIcon={Braces}
        options={TYPES}
        value={chosen}
        onChange={(value) => setChosen(TYPES.find(([one]) => one === value)?.[0] ?? TEST)}
      />
      <Button icon={Send} onPress={() => test.run({ type: chosen })} isPending={test.isPending}>
        {chosen === TEST ? 'Send a test' : 'Send a sample of this type'}
      </Button>
    </Row>
  );
  return (
    <Card title="Deliveries" action={send} isFlush>
      <Failure error={test.error ?? repeat.error} />
      <Loaded query={query} what="the deliveries">
        {(deliveries) =>
          deliveries.length === 0 ? (
            <Empty icon={Send} title="No delivery yet.">
              Send a test, and see here what your receiver answered.
            </Empty>
          ) : (
            <List
              label="Deliveries"
              items={deliveries}
              idOf={({ deliveryId }) => deliveryId}
              columns={[
                { heading: 'Type', narrow: 'lead', cell: (delivery) => <Type of={delivery} /> },
                { heading: 'State', narrow: 'end', cell: (delivery) => <DeliveryState of={delivery} /> },
                { heading: 'When', narrow: 'second', cell: ({ at }) => <Time of={at} as="ago" /> },
                { heading: 'Last try', narrow: 'below', cell: (delivery) => <LastTry of={delivery} /> },
                {
                  heading: 'Actions',
                  isActions: true,
                  cell: ({ deliveryId, type }) => (
                    <IconButton
                      icon={RotateCw}
                      aria-label={`Repeat ${type}`}
                      onPress={() => repeat.run({ deliveryId })}
                    />
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

interface OfDelivery {
  readonly of: Delivery;
}

const Type = ({ of: delivery }: OfDelivery) => {
  const { noticeId, type, body } = delivery;
  const figure = figureOf(delivery);
  return (
    <details>
      <summary>
        <code>{type}</code>
        {figure !== '' && <Muted> {figure}</Muted>}
      </summary>
      <div className={css.sent}>
        <Id of={noticeId} what="webhook-id" />
        {body === null ? (
          <Muted>Nothing was sent yet.</Muted>
        ) : (
          <CodeBlock text={JSON.stringify(JSON.parse(body), null, 2)} what={`the body of ${noticeId}`} />
        )}
      </div>
    </details>
  );
};

const DeliveryState = ({ of: { state } }: OfDelivery) =>
  state === 'delivered' ? (
    <State kind="good">Arrived</State>
  ) : state === 'waiting' ? (
    <State kind="wait">Waits</State>
  ) : (
    <State kind="bad">Failed</State>
  );

const LastTry = ({ of: delivery }: OfDelivery) => (
  <Muted>
    {resultOf(delivery)}
    {delivery.attempts > 1 && `, ${counted(delivery.attempts, 'try', 'tries')}`}
    {delivery.attempts > 0 && delivery.nextAttemptAt !== null && (
      <>
        ; next try at <Time of={delivery.nextAttemptAt} as="clock" />
      </>
    )}
  </Muted>
);
