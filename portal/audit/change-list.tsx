import { type ReactNode, Fragment } from 'react';
import { Link } from 'wouter';
import type { AuditEvent, AuditValues } from '../api/people-queries.ts';
import { Below, Muted } from '../components/card.tsx';
import { Id } from '../components/id.tsx';
import { List } from '../components/list.tsx';
import { Time } from '../components/time.tsx';
import { KeyName } from '../keys/key-name.tsx';
import { pages } from '../routes.ts';
import css from './values.module.css';
import { useNames, type Names } from './use-names.ts';
import { ACTION_WORDS, ATTRIBUTE_WORDS, WITHOUT_VALUE } from './words.ts';
import { formatCount } from '../text/format.ts';

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
  // By its place from the newest on: older changes are added at the end, so a row keeps its key.
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

type Value = NonNullable<AuditValues>[string] | undefined;
/** Replaces both values of an attribute that may name a person. */
const NOT_TOLD = 'changed';
const TIMES = ['expiresAt', 'revokedAt'];

interface ValuesProps extends Pick<AuditEvent, 'before' | 'after'> {
  readonly names: Names;
}

/** The changed attributes: the old value, struck out, and the new one. */
function Values({ before, after, names }: ValuesProps) {
  const attributes = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const changed = attributes.filter((name) => !isSame(before?.[name], after?.[name]) || before?.[name] === NOT_TOLD);
  return (
    <ul className={css.values}>
      {changed.map((name) => (
        <li key={name}>
          <Muted>{ATTRIBUTE_WORDS[name] ?? name}:</Muted>{' '}
          {before?.[name] === NOT_TOLD ? (
            'changed; the values are not kept'
          ) : after?.[name] === NOT_TOLD ? (
            'not kept'
          ) : (
            <>
              {before && (
                <del className={css.old}>
                  <Shown name={name} names={names} value={before[name]} />
                </del>
              )}
              {before && after && ' to '}
              {after && (
                <ins className={css.new}>
                  <Shown name={name} names={names} value={after[name]} />
                </ins>
              )}
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

interface ShownProps {
  readonly name: string;
  readonly value: Value;
  readonly names: Names;
}

function Shown({ name, value, names }: ShownProps) {
  if (value === null || value === undefined) return WITHOUT_VALUE[name] ?? 'none';
  if (Array.isArray(value)) {
    if (value.length === 0) return 'none';
    return value.map((id, index) => (
      <Fragment key={id}>
        {index > 0 && ', '}
        <bdi>{names.project(id) ?? (names.isReading ? '…' : id)}</bdi>
      </Fragment>
    ));
  }
  if (typeof value === 'number') return formatCount(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  // Thresholds that are never told.
  if (value === '') return 'none';
  if (name === 'kinds') return <bdi>{value.replaceAll(',', ', ')}</bdi>;
  if (TIMES.includes(name)) return <Time of={value} as="minute" />;
  if (name !== 'replacedBy') return <bdi>{value}</bdi>;
  const successor = names.key(value);
  return successor ? <KeyName of={successor} /> : <bdi>{names.isReading ? '…' : value}</bdi>;
}

const isSame = (one: Value, other: Value): boolean => JSON.stringify(one) === JSON.stringify(other);
