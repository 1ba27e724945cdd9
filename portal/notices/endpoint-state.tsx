import { Muted } from '../components/card.tsx';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import type { Endpoint } from './endpoint-queries.ts';

const BY_WORDS = {
  owner: 'by an owner',
  operator: 'by the platform team',
  failures: 'nothing arrived for three days, or it answered 410',
} as const;

/** The state of an endpoint: whether it is on, and its failures. */
export function EndpointState({ of: { status, disabledBy, failingSince } }: { readonly of: Endpoint }) {
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
