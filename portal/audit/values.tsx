import { Fragment } from 'react';
import type { AuditEvent, AuditValues } from '../api/people-queries.ts';
import { Muted } from '../components/card.tsx';
import { Time } from '../components/time.tsx';
import { KeyName } from '../keys/key-name.tsx';
import { formatCount } from '../text/format.ts';
import type { Names } from './use-names.ts';
import css from './values.module.css';
import { ATTRIBUTE_WORDS, WITHOUT_VALUE } from './words.ts';

type Value = NonNullable<AuditValues>[string] | undefined;
/** Replaces both values of an attribute that may name a person. */
const NOT_TOLD = 'changed';
const TIMES = ['expiresAt', 'revokedAt'];

interface ValuesProps extends Pick<AuditEvent, 'before' | 'after'> {
  readonly names: Names;
}

/** The changed attributes: the old value, struck out, and the new one. */
export function Values({ before, after, names }: ValuesProps) {
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
  if (name === 'kinds') return <bdi>{value.replaceAll(',', ', ')}</bdi>;
  if (TIMES.includes(name)) return <Time of={value} as="minute" />;
  if (name !== 'replacedBy') return <bdi>{value}</bdi>;
  const successor = names.key(value);
  return successor ? <KeyName of={successor} /> : <bdi>{names.isReading ? '…' : value}</bdi>;
}

const isSame = (one: Value, other: Value): boolean => JSON.stringify(one) === JSON.stringify(other);
