import { CodeBlock } from '../components/code-block.tsx';
import { List } from '../components/list.tsx';
import { DocsFrame } from './docs-frame.tsx';
import { CURL_MANAGE, CURL_USAGE, ENTER_TOKEN, PYTHON_MANAGE, TYPESCRIPT_MANAGE } from './manage-samples.ts';
import { Section } from './section.tsx';
import { useAnchor } from './use-anchor.ts';

/** The routes below `/manage/v1`, with the scope that each requires. */
const ROUTES: readonly (readonly [route: string, scope: string, what: string])[] = [
  ['GET /token', 'any', 'Which token this is, what it may do, and until when'],
  ['GET /projects', 'any', 'The projects that it may use, with their quotas'],
  ['GET /projects/{p}/keys', 'keys:read', 'Keys; active ones first'],
  ['POST /projects/{p}/keys', 'keys:write', 'A new key, shown once'],
  ['GET /projects/{p}/keys/{k}', 'keys:read', 'One key'],
  ['PATCH /projects/{p}/keys/{k}', 'keys:write', 'Another name, another key quota'],
  ['POST /projects/{p}/keys/{k}/rotate', 'keys:write', 'A new key in its place, with a grace period'],
  ['POST /projects/{p}/keys/{k}/revoke', 'keys:write', 'The end of a key'],
  ['GET /projects/{p}/usage', 'usage:read', 'Usage by day, hour or key'],
  ['GET /projects/{p}/requests', 'usage:read', 'Requests, the newest first'],
  ['GET /requests/{id}', 'usage:read', 'One request'],
];

/** The page about management tokens. */
export function Automation() {
  useAnchor();
  return (
    <DocsFrame title="Automation" about="Let CI, Terraform or a vault make keys, end them and read usage.">
      <Section id="token" title="A management token">
        <p>
          An owner creates one in the portal, under Settings, Tokens: a name, what it may do, one project or all, and 7
          to 90 days. You see it once. It belongs to the account, not to the person: it works until it expires or an
          owner revokes it, and then its next request is refused.
        </p>
        <p>
          It works at <code>/manage/v1</code> at the address of the portal, not at the gateway. There, an API key and a
          session do not count. Never put a token into a page: there are no CORS headers.
        </p>
        <CodeBlock text={ENTER_TOKEN} what="the token" />
      </Section>
      <Section id="key" title="A key for a job">
        <p>
          An answer can be lost: send each creation with an <code>Idempotency-Key</code>. Within ten minutes its repeat
          gives the same key another secret, if nobody has used the first.
        </p>
        <CodeBlock text={CURL_MANAGE} what="the key for a job" />
      </Section>
      <Section id="usage" title="Units by key">
        <p>
          While <code>complete</code> is false, ask again: each request sums further.
        </p>
        <CodeBlock text={CURL_USAGE} what="the curl command" />
        <CodeBlock text={TYPESCRIPT_MANAGE} what="the TypeScript code" />
        <CodeBlock text={PYTHON_MANAGE} what="the Python code" />
      </Section>
      <Section id="routes" title="Routes and scopes">
        <p>
          The contract is <a href="/manage.yaml">manage.yaml</a>, in OpenAPI 3.1.
        </p>
        <List
          label="Routes of the management API"
          items={ROUTES}
          idOf={([route]) => route}
          columns={[
            { heading: 'Route', narrow: 'lead', cell: ([route]) => <code translate="no">{route}</code> },
            { heading: 'Scope', narrow: 'second', cell: ([, scope]) => <code translate="no">{scope}</code> },
            { heading: 'What', narrow: 'below', cell: ([, , what]) => what },
          ]}
        />
      </Section>
      <Section id="refusals" title="Refusals">
        <ul>
          <li>
            401: no token, or one that is wrong, revoked or expired. 403 <code>INSUFFICIENT_SCOPE</code>: it lacks the
            scope.
          </li>
          <li>404: there is no such thing, or it belongs to others, or to another project than the token.</li>
          <li>
            429 <code>RATE_LIMIT_EXCEEDED</code>: a token has 60 reads and 60 changes a minute. Wait as long as{' '}
            <code>Retry-After</code> says.
          </li>
        </ul>
      </Section>
    </DocsFrame>
  );
}
