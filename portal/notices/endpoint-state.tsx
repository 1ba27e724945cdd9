import { Below, Muted } from '../components/card.tsx';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { useNow } from '../components/use-now.ts';
import type { Endpoint } from './endpoint-queries.ts';
import { twoSecretsUntil } from './endpoint-words.ts';

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
