import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { AuditEvent } from '../api/people-queries.ts';
import { Below, Muted } from '../components/card.tsx';
import { Id } from '../components/id.tsx';
import { List } from '../components/list.tsx';
import { Time } from '../components/time.tsx';
import { KeyName } from '../keys/key-name.tsx';
import { pages } from '../routes.ts';
import css from './values.module.css';
import { useNames, type Names } from './use-names.ts';
import { Values } from './values.tsx';
import { ACTION_WORDS } from './words.ts';

/** The number of characters of an id that is shown without a name. */
const SHOWN = 12;

interface ChangeListProps {
  readonly accountId: string;
  /** Newest first. */
  readonly events: readonly AuditEvent[];
}

/** Changes of an account: when, who, what, and the values before and after. */
export function ChangeList({ accountId, events }: ChangeListProps) {
  const names = useNames(accountId, events);
  // Counted from the end, so that a growing list keeps its keys.
  const items = events.map((event, index) => ({ ...event, place: String(index) }));
  return (
    <List
      label="Changes"
      isEven
      items={items}
      idOf={({ place }) => place}
      columns={[
        { heading: 'When', narrow: 'end', cell: ({ at }) => <Time of={at} as="ago" /> },
        { heading: 'Who', narrow: 'second', cell: (event) => <Actor {...event} /> },
        {
          heading: 'What',
          narrow: 'lead',
          cell: (event) => <Subject of={event} accountId={accountId} names={names} />,
        },
        {
          heading: 'Before and after',
          narrow: 'below',
          cell: ({ before, after }) => <Values before={before} after={after} names={names} />,
        },
      ]}
    />
  );
}

interface OfEventProps {
  readonly of: AuditEvent;
  readonly names: Names;
}

/** The portal's name for a person without a profile. */
const NAMELESS = 'former member';

/** A member by name and address: anybody can choose any name. */
function Actor({ actor, actorKind, actorEmail }: AuditEvent) {
  if (actorKind === 'report') return <Muted>a report</Muted>;
  if (actorKind === 'operator') return <Muted>platform team</Muted>;
  const isNamed = actorKind === 'member' || actorKind === 'token' || actor !== NAMELESS;
  return (
    <div>
      {isNamed && <bdi>{actor}</bdi>}
      {actorEmail !== null && actorEmail !== actor && (
        <Below>
          <bdi>{actorEmail}</bdi>
        </Below>
      )}
      {actorKind === 'former' && <Below>{NAMELESS}</Below>}
      {actorKind === 'token' && <Below>management token</Below>}
    </div>
  );
}

function Subject({ of: event, accountId, names }: OfEventProps & { readonly accountId: string }) {
  const { action, projectId, keyId, memberId, memberName, memberEmail, endpointId, tokenId } = event;
  const project = projectId === null ? undefined : names.project(projectId);
  const key = keyId === null ? undefined : names.key(keyId);
  return (
    <div>
      <div className={css.what}>{ACTION_WORDS[action]}</div>
      {keyId !== null && (
        <Named
          name={key && <KeyName of={key} />}
          id={keyId}
          isReading={names.isReading}
          what="key"
          href={key && projectId !== null ? pages.key(accountId, projectId, keyId) : undefined}
        />
      )}
      {projectId !== null && (
        <Named
          name={project}
          id={projectId}
          isReading={names.isReading}
          what="project"
          href={project === undefined ? undefined : pages.keys(accountId, projectId)}
        />
      )}
      {memberId !== null && action !== 'account.create' && (
        <Named name={memberName ?? undefined} email={memberEmail} id={memberId} what="member" />
      )}
      {endpointId !== null && <Named name={undefined} id={endpointId} what="endpoint" />}
      {tokenId !== null && <Named name={undefined} id={tokenId} what="token" />}
    </div>
  );
}

interface NamedProps {
  readonly name: ReactNode | undefined;
  readonly id: string;
  readonly isReading?: boolean;
  readonly what: 'key' | 'project' | 'member' | 'endpoint' | 'token';
  readonly href?: string | undefined;
  /** The address, beside the name of a person. */
  readonly email?: string | null;
}

/** The changed object, by its present name or by its id. */
const Named = ({ name, id, isReading = false, what, href, email }: NamedProps) => (
  <div>
    <Muted>{what} </Muted>
    {name === undefined && isReading ? (
      <Muted>…</Muted>
    ) : name === undefined ? (
      <Id of={id} what={what} shown={SHOWN} />
    ) : href === undefined ? (
      <bdi>{name}</bdi>
    ) : (
      <Link href={href}>
        <bdi>{name}</bdi>
      </Link>
    )}
    {email && email !== name && (
      <Muted>
        {' '}
        <bdi>{email}</bdi>
      </Muted>
    )}
  </div>
);
