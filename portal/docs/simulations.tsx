import { CONTRACT } from '../gateway/contract.ts';
import { Codes, Members } from './operation-parts.tsx';
import { Section } from './section.tsx';

const members = CONTRACT.operations.find(({ operationId }) => operationId === 'sendPing')?.body?.members ?? [];

/** How a request asks for a refusal or a failure, and what then happens. */
export const Simulations = () => (
  <Section id="simulations" title="Simulations">
    <p>
      A request can ask for a refusal or a failure, so that you see how your program takes it. Send{' '}
      <code>{'{"simulate":"RATE_LIMIT_EXCEEDED"}'}</code>, or another code. The answer is the real one, with{' '}
      <code>X-Service-Simulated: true</code> beside it.
    </p>
    <Members of={members.filter(({ name }) => name === 'simulate')} />
    <p>
      The codes: <Codes of={CONTRACT.simulations.filter((code) => code !== 'ANSWER_LOST')} />
    </p>
    <ul>
      <li>Nothing is executed, charged or stored. It counts toward the rate limit, as every request.</li>
      <li>
        With <code>ANSWER_LOST</code> the request is executed and charged, and only its answer is lost: a 503. Send the
        same again under its <code>Idempotency-Key</code>, and it is replayed for nothing.
      </li>
      <li>The page Usage shows simulations apart, and leaves them out of the share of refusals.</li>
    </ul>
  </Section>
);
