import { type ReactNode, Fragment, useState } from 'react';
import { ChevronDown } from 'lucide-react';
import { Link } from 'wouter';
import type { AuditEvent, AuditValues } from '../api/people-queries.ts';
import { IconButton } from '../components/button.tsx';
import { Facts, Muted } from '../components/card.tsx';
import { Id } from '../components/id.tsx';
import { Time } from '../components/time.tsx';
import { CAP_PERIODS, perPeriod, type CapPeriod } from '../keys/cap.ts';
import { KeyName } from '../keys/key-name.tsx';
import { pages } from '../routes.ts';
import { formatCount, formatFull, formatWeekday } from '../text/format.ts';
import css from './change-list.module.css';
import { changedBy, NOT_TOLD, sentenceOf, type Named } from './sentences.ts';
import { useNames, type Names } from './use-names.ts';
import { ATTRIBUTE_WORDS, WITHOUT_VALUE } from './words.ts';

/** The number of characters of an id that is shown without a name. */
const SHOWN = 12;

interface ChangeListProps {
  readonly accountId: string;
  /** Newest first. */
  readonly events: readonly AuditEvent[];
}

/** Changes of an account as sentences, by days. A press shows all that is kept of one. */
export function ChangeList({ accountId, events }: ChangeListProps) {
  const names = useNames(accountId, events);
  // By its place from the newest on: older changes are added at the end, so a row keeps its key.
  const placed = events.map((event, place) => ({ event, place }));
  const days = [...Map.groupBy(placed, ({ event }) => formatWeekday(event.at))];
  return (
    <div role="group" aria-label="Changes">
      {days.map(([day, changes]) => (
        <section key={day}>
          <h3 className={css.day}>{day}</h3>
          <ul className={css.list}>
            {changes.map(({ event, place }) => (
              <Change key={place} of={event} accountId={accountId} names={names} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

interface ChangeProps {
  readonly of: AuditEvent;
  readonly accountId: string;
  readonly names: Names;
}

function Change(props: ChangeProps) {
  const [isOpen, setOpen] = useState(false);
  const { at } = props.of;
  return (
    <li className={css.change}>
      <Time of={at} as="hour" />
      <p className={css.sentence}>
        <Sentence {...props} />
      </p>
      <IconButton
        icon={ChevronDown}
        aria-label={`Details of the change at ${formatFull(at)}`}
        aria-expanded={isOpen}
        onPress={() => setOpen(!isOpen)}
      />
      {isOpen && <Details {...props} />}
    </li>
  );
}

/** The portal's name for a person without a profile. */
const NAMELESS = 'former member';

const ACTORS: Partial<Record<AuditEvent['actorKind'], string>> = { report: 'A report', operator: 'The platform team' };

function Sentence({ of: event, accountId, names }: ChangeProps) {
  const { parts, told, isAlone } = sentenceOf(event);
  const { actor, actorEmail, actorKind } = event;
  // Who has left is known by the profile, as long as there is one.
  const known = actor === NAMELESS ? actorEmail : actor;
  const who = ACTORS[actorKind] ?? known ?? 'A former member';
  return (
    <>
      <b>
        <bdi>{who}</bdi>
      </b>
      {actorKind === 'token' && <Muted> (token)</Muted>}
      {actorKind === 'former' && known !== null && <Muted> ({NAMELESS})</Muted>}{' '}
      {parts.map((part, index) =>
        typeof part === 'string' ? (
          part
        ) : (
          <Thing key={index} named={part.named} of={event} accountId={accountId} names={names} />
        ),
      )}
      {told.map((name, index) => (
        <Fragment key={name}>
          {index === 0 ? ': ' : ', '}
          <Told of={event} name={name} names={names} isAlone={isAlone} />
        </Fragment>
      ))}
      {told.length === 0 && '.'}
    </>
  );
}

interface ToldProps {
  readonly of: AuditEvent;
  readonly name: string;
  readonly names: Names;
  readonly isAlone: boolean;
}

/** A changed attribute, in the sentence. */
function Told({ of: { action, at, before, after }, name, names, isAlone }: ToldProps) {
  const value = after?.[name];
  if (action === 'key.rotate' && name === 'expiresAt') {
    if (typeof value === 'string' && value <= at) return 'the old one ended at once';
    return (
      <>
        the old one ends <Shown name={name} names={names} value={value} />
      </>
    );
  }
  if (before?.[name] === NOT_TOLD) return `${wordsOf(name).toLowerCase()}, whose values are not kept`;
  return (
    <>
      {!isAlone && `${wordsOf(name).toLowerCase()} `}
      {before && (
        <>
          <Shown name={name} names={names} value={before[name]} /> to{' '}
        </>
      )}
      <Shown name={name} names={names} value={value} />
      {before === null && name === 'unitsLimit' && after?.unitsPeriod && perPeriod(after.unitsPeriod as CapPeriod)}
    </>
  );
}

const wordsOf = (name: string): string => ATTRIBUTE_WORDS[name] ?? name;

/** What a sentence is about, by its present name or by its id. */
function Thing({ named, of: event, accountId, names }: ChangeProps & { readonly named: Named }) {
  const { projectId, keyId, memberId, memberName, endpointId, tokenId, after } = event;
  if (named === 'role') return String(after?.role ?? 'member');
  if (named === 'key') {
    const key = names.key(keyId ?? '');
    const href = key && projectId !== null ? pages.key(accountId, projectId, key.keyId) : undefined;
    return <Name name={key && <KeyName of={key} />} id={keyId} names={names} what="key" href={href} />;
  }
  if (named === 'project') {
    const project = names.project(projectId ?? '');
    const href = project !== undefined && projectId !== null ? pages.keys(accountId, projectId) : undefined;
    return <Name name={project} id={projectId} names={names} what="project" href={href} />;
  }
  if (named === 'member') return <Name name={memberName ?? undefined} id={memberId} names={names} what="member" />;
  if (named === 'endpoint') {
    return <Name name={names.endpoint(endpointId ?? '')} id={endpointId} names={names} what="endpoint" />;
  }
  return <Name name={names.token(tokenId ?? '')} id={tokenId} names={names} what="token" />;
}

interface NameProps {
  readonly name: ReactNode | undefined;
  readonly id: string | null;
  readonly names: Names;
  readonly what: Named;
  readonly href?: string | undefined;
}

function Name({ name, id, names, what, href }: NameProps) {
  if (name !== undefined) {
    const shown = <bdi className={css.name}>{name}</bdi>;
    return href === undefined ? shown : <Link href={href}>{shown}</Link>;
  }
  if (names.isReading) return <Muted>…</Muted>;
  if (id === null) return `a ${what}`;
  return (
    <>
      a {what} <Id of={id} what={what} shown={SHOWN} />
    </>
  );
}

/** All that is kept of a change. */
function Details({ of: event, names }: ChangeProps) {
  const { at, actor, actorEmail, actorKind, memberEmail, before, after } = event;
  const { projectId, keyId, memberId, endpointId, tokenId } = event;
  const ids = Object.entries({
    key: keyId,
    project: projectId,
    member: memberId,
    endpoint: endpointId,
    token: tokenId,
  });
  const hasAddress = actorEmail !== null && actorEmail !== actor;
  return (
    <div className={css.details}>
      <Facts
        facts={[
          ['At', formatFull(at)],
          [
            'By',
            <>
              <bdi>{ACTORS[actorKind] ?? actor}</bdi> {hasAddress && <bdi>{actorEmail}</bdi>}{' '}
              {actorKind === 'former' && actor !== NAMELESS && <Muted>{NAMELESS}</Muted>}
              {actorKind === 'token' && <Muted>management token</Muted>}
            </>,
          ],
          ...(memberEmail === null || memberEmail === actorEmail
            ? []
            : [['Address', <bdi key="email">{memberEmail}</bdi>] as const]),
          ...ids.flatMap(([what, id]) => (id === null ? [] : [[what, <Id key={what} of={id} what={what} />] as const])),
        ]}
      />
      <Values before={before} after={after} names={names} />
    </div>
  );
}

type Value = NonNullable<AuditValues>[string] | undefined;
const TIMES = ['expiresAt', 'revokedAt'];

interface ValuesProps extends Pick<AuditEvent, 'before' | 'after'> {
  readonly names: Names;
}

/** The changed attributes: the old value, struck out, and the new one. */
function Values({ before, after, names }: ValuesProps) {
  return (
    <ul className={css.values}>
      {changedBy({ before, after }).map((name) => (
        <li key={name}>
          <Muted>{wordsOf(name)}:</Muted>{' '}
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
  if (name === 'unitsPeriod') return CAP_PERIODS[value as CapPeriod];
  if (name !== 'replacedBy' && name !== 'capOf') return <bdi>{value}</bdi>;
  const key = names.key(value);
  return key ? <KeyName of={key} /> : <bdi>{names.isReading ? '…' : value}</bdi>;
}
