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
    units: '1',
  },
  {
    sent: 'The same again, within 24 hours',
    body: '{"clientRequestId":"a"}',
    answer: '200: the stored answer under a new requestId, with X-Service-Idempotency-Replayed: true',
    units: '0',
  },
  {
    sent: 'Another body',
    body: '{"clientRequestId":"b"}',
    answer: '409 IDEMPOTENCY_CONFLICT; nothing is executed',
    units: '0',
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
            { heading: 'You send', cell: ({ sent }) => sent },
            { heading: 'Body', cell: ({ body }) => <code translate="no">{body}</code> },
            { heading: 'You get', cell: ({ answer }) => answer },
            { heading: 'Units', isNumber: true, cell: ({ units }) => units },
          ]}
        />
        <ul>
          <li>The same request means the same JSON values, however they are written.</li>
          <li>Only successes are stored: what was refused can be sent again under its Idempotency-Key.</li>
          <li>
            It holds for the project, so it still replays after the API key was rotated; never to a key that was
            revoked.
          </li>
          <li>A replay is served even when the quota is used up. It counts toward the rate limit.</li>
          <li>Of identical requests at the same time one is executed; the others get its answer.</li>
        </ul>
      </Section>
      <Section id="try" title="Try it">
        <p>Three requests in bash or zsh: charged, replayed, refused.</p>
        <CodeBlock text={curlIdempotency(gatewayUrl)} gatewayUrl={gatewayUrl} what="the three requests" />
      </Section>
      <Section id="retries" title="Repeat safely">
        <p>
          Repeat after a time-out, a lost connection, a rate limit or a 5xx, with the same Idempotency-Key. Wait as long
          as <code>Retry-After</code> says, and a random time more that doubles with each attempt. What ended in a 5xx
          or without an answer may have been charged; without an Idempotency-Key its repeat is charged too. Nothing else
          succeeds unchanged, and a used-up quota asks you to wait for days: see <Link href={pages.errors}>Errors</Link>
          .
        </p>
        <p>
          The <Link href={`${pages.docs}#typescript`}>libraries</Link> do this for each call, at most five times, under
          an Idempotency-Key of its own. Give it one of yours, such as the number of an order, and a later run of your
          program can repeat the call, too:
        </p>
        <CodeBlock text={typescriptRetry(gatewayUrl)} gatewayUrl={gatewayUrl} what="the TypeScript program" />
        <CodeBlock text={pythonRetry(gatewayUrl)} gatewayUrl={gatewayUrl} what="the Python program" />
      </Section>
    </DocsFrame>
  );
}
