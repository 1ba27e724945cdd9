import { use } from 'react';
import { Link } from 'wouter';
import { List } from '../components/list.tsx';
import { CONTRACT } from '../gateway/contract.ts';
import type { Member } from '../gateway/types.ts';
import { pages, signInAddress } from '../routes.ts';
import { SessionContext } from '../session.ts';
import { formatCount } from '../text/format.ts';
import { DocsFrame } from './docs-frame.tsx';
import { answersOf, Headers, Members } from './operation-parts.tsx';
import { Section } from './section.tsx';
import { Simulations } from './simulations.tsx';
import { Terms } from './terms.tsx';
import { useAnchor } from './use-anchor.ts';

/** The limit of each object, by its name in the session. */
const PORTAL_LIMITS = {
  accountsPerPerson: 'Accounts that you have created, closed ones included',
  projectsPerAccount: 'Projects in an account',
  projectsPerPeriod: 'Projects made in an account in a period of the quota, closed ones included',
  activeKeysPerProject: 'Active keys in a project',
  membersPerAccount: 'People in an account, invited ones included',
  invitationsPerAddress: 'Invitations of one address by one person in a day, withdrawn ones included',
  changesPerMinute: 'Changes a minute of one person',
  readsPerMinute: 'Reads of usage and requests a minute of one person',
  signInsPerMinute: 'Sign-ins a minute of one person',
} as const;

const CHARGES = [
  ['The first successful execution of a request', 'the units of the operation: 1 for the ping'],
  ['A replay of a stored answer', '0 units'],
  ['A refusal, of whatever kind', '0 units'],
  ['A simulation', '0 units; with ANSWER_LOST those of the operation'],
  ['Health checks, preflights, unknown paths, failures of the gateway', '0 units'],
] as const;

/** Each with the reason. */
const NOT_LISTED = [
  ['With an unknown key, or none: 401', 'It belongs to no project.'],
  ['To an unknown path, or with another method: 404, 405', 'It belongs to no project.'],
  ['Health checks and preflights', 'They have no key.'],
  ['A failure of the gateway: 500, 503', 'It has no outcome. If it was charged all the same, its success is listed.'],
  ['413 and 429 without a requestId', 'API Gateway refused it first: it was far too large, or one of too many.'],
] as const;

const ping = CONTRACT.operations.find(({ operationId }) => operationId === 'sendPing');
const SIZES: readonly Member[] = [
  { name: 'Body', isRequired: true, type: 'JSON', description: ping?.body?.description ?? '' },
  ...(ping?.body?.members.filter(({ name }) => name !== 'simulate') ?? []),
  ...(ping?.parameters ?? []),
];

/** The page about limits of requests and of the portal. */
export function Limits() {
  const limits = use(SessionContext)?.limits;
  useAnchor();
  return (
    <DocsFrame title="Limits" about="Each key has a rate limit, each project a quota. Every answer says what is left.">
      <Section id="gateway" title="Rate limit and quota">
        <Terms
          of={[
            {
              key: 'rate',
              name: 'Rate limit',
              aside: 'of each key',
              meaning: 'Requests a minute. It begins again with each UTC minute. Refusals and replays count, too.',
            },
            {
              key: 'quota',
              name: 'Quota',
              aside: 'of the project, for all its keys',
              meaning: 'Request units a period, in UTC. The page Usage of a project shows how much is left.',
            },
          ]}
        />
      </Section>
      <Section id="headers" title="What is left">
        <p>The platform team sets both limits. Every answer to a valid key says what they are for you:</p>
        <Headers of={answersOf(ping?.answers ?? [])} named={/^(X-RateLimit|X-Service-Quota|RateLimit)|^Retry-After$/} />
      </Section>
      <Section id="sizes" title="Size of a request">
        <Members of={SIZES} />
      </Section>
      <Section id="charges" title="What a request costs">
        <List
          label="Request units"
          items={CHARGES}
          idOf={([what]) => what}
          columns={[
            { heading: 'Request', narrow: 'lead', cell: ([what]) => what },
            { heading: 'Request units', narrow: 'below', cell: ([, units]) => units },
          ]}
        />
      </Section>
      <Section id="not-listed" title="Requests that are in no list">
        <p>A list of requests shows what the gateway wrote to the ledger of a project. These are not there:</p>
        <List
          label="Requests that are in no list"
          items={NOT_LISTED}
          idOf={([what]) => what}
          columns={[
            { heading: 'Request', narrow: 'lead', cell: ([what]) => what },
            { heading: 'Why', narrow: 'below', cell: ([, why]) => why },
          ]}
        />
        <p>
          The platform team finds such a request in its logs. Tell it the time and the <code>requestId</code> of the
          answer, or without one the header <code>apigw-requestid</code>.
        </p>
        <p>
          One key may be refused often with one code, such as a revoked key. Then only the first refusal of each minute
          is listed. What cost nothing is listed for 30 days.
        </p>
      </Section>
      <Simulations />
      <Section id="portal" title="Limits of this portal">
        {limits === undefined ? (
          <p>
            <a href={signInAddress(location)}>Sign in</a> to see them.
          </p>
        ) : (
          <List
            label="Limits of the portal"
            items={Object.entries(PORTAL_LIMITS) as [keyof typeof PORTAL_LIMITS, string][]}
            idOf={([name]) => name}
            columns={[
              { heading: 'What', narrow: 'lead', cell: ([, what]) => what },
              { heading: 'At most', narrow: 'end', isNumber: true, cell: ([name]) => formatCount(limits[name]) },
            ]}
          />
        )}
      </Section>
      <p>
        Refused for a limit? <Link href={pages.error('RATE_LIMIT_EXCEEDED')}>What to do</Link>.
      </p>
    </DocsFrame>
  );
}
