import { Link } from 'wouter';
import { CodeBlock } from '../components/code-block.tsx';
import { List } from '../components/list.tsx';
import { pages } from '../routes.ts';
import { DocsFrame } from './docs-frame.tsx';
import { AddressNote, useGatewayUrl } from './gateway-address.tsx';
import { curlIdempotency, pythonRetry, typescriptRetry } from './samples.ts';
import { Section } from './section.tsx';
import { useAnchor } from './use-anchor.ts';

/** The answers to requests under one Idempotency-Key, in the order of the requests. */
const CASES = [
  {
    sent: 'The first request',
    body: '{"clientRequestId":"a"}',
    answer: '200, and the answer is stored',
    cost: '1 unit',
  },
  {
    sent: 'The same again, within 24 hours',
    body: '{"clientRequestId":"a"}',
    answer: '200: the stored answer under a new requestId, with X-Service-Idempotency-Replayed: true',
    cost: '0 units',
  },
  {
    sent: 'Another body',
    body: '{"clientRequestId":"b"}',
    answer: '409 IDEMPOTENCY_CONFLICT; nothing is executed',
    cost: '0 units',
  },
];

/** The page about safe repeats. */
export function Idempotency() {
  const gatewayUrl = useGatewayUrl();
  useAnchor();
  return (
    <DocsFrame title="Idempotency" about="Send a request again without fear: it is charged once.">
      <AddressNote />
      <Section id="rule" title="One Idempotency-Key, one execution">
        <p>
          An answer can be lost on its way: you cannot know whether the request was executed. Send each request with an{' '}
          <code>Idempotency-Key</code> of its own, and its repeats with the same one.
        </p>
        <List
          label="Requests under one Idempotency-Key"
          items={CASES}
          idOf={({ sent }) => sent}
          columns={[
            { heading: 'You send', narrow: 'lead', cell: ({ sent }) => sent },
            { heading: 'Body', narrow: 'second', cell: ({ body }) => <code translate="no">{body}</code> },
            { heading: 'You get', narrow: 'below', cell: ({ answer }) => answer },
            { heading: 'Cost', narrow: 'end', isNumber: true, cell: ({ cost }) => cost },
          ]}
        />
        <ul>
          <li>The same request means the same JSON values, however they are written.</li>
          <li>Only successes are stored: what was refused can be sent again under its Idempotency-Key.</li>
          <li>
            It is valid for the project. It still replays after you rotate the API key, but never to a revoked one.
          </li>
          <li>A replay is served even when the quota is used up. It counts toward the rate limit.</li>
          <li>When identical requests come at the same time, one is executed. The others get its answer.</li>
        </ul>
      </Section>
      <Section id="try" title="Three requests">
        <p>In bash or zsh: one is charged, one replayed, one refused.</p>
        <CodeBlock text={curlIdempotency(gatewayUrl)} gatewayUrl={gatewayUrl} what="the three requests" />
      </Section>
      <Section id="retries" title="Repeat safely">
        <p>
          Repeat after a time-out, a lost connection, a rate limit or a 5xx, with the same Idempotency-Key. Wait as long
          as <code>Retry-After</code> says, and a random time more that doubles with each attempt. After a 5xx, or
          without an answer, the request may have been charged. Without an Idempotency-Key its repeat is charged too.
        </p>
        <p>
          Repeat no other refusal: the same request is refused again. A used-up quota takes days to start again. See{' '}
          <Link href={pages.errors}>Errors</Link>.
        </p>
        <p>
          The <Link href={`${pages.docs}#typescript`}>libraries</Link> do this for each call, at most five times, under
          an Idempotency-Key of its own. Give the call one of yours, such as the number of an order. Then a later run of
          your program can repeat it, too:
        </p>
        <CodeBlock text={typescriptRetry(gatewayUrl)} gatewayUrl={gatewayUrl} what="the TypeScript program" />
        <CodeBlock text={pythonRetry(gatewayUrl)} gatewayUrl={gatewayUrl} what="the Python program" />
      </Section>
    </DocsFrame>
  );
}
