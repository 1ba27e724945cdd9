import { useQuery } from '@tanstack/react-query';
import type { AuditFilter } from '../api/people-queries.ts';
import { membersQuery, type Member } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import css from './filter-bar.module.css';
import { TimeField } from './time-field.tsx';
import { ACTION_WORDS, ACTIONS } from './words.ts';

interface FilterBarProps {
  readonly accountId: string;
  readonly filter: AuditFilter;
  readonly onChange: (filter: AuditFilter) => void;
}

/** Which changes are shown: whose, of which kind, of which time. */
export function FilterBar({ accountId, filter, onChange }: FilterBarProps) {
  const { data: members = [] } = useQuery(membersQuery(accountId));
  const { actor = '', action = '', since, until } = filter;
  const people = members.filter(({ status }) => status === 'active');
  const isOther = !['', 'operator', 'former'].includes(actor) && !people.some(({ memberId }) => memberId === actor);
  return (
    <form className={css.bar} aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
      <label className={css.field}>
        Person
        <select
          className={css.control}
          value={actor}
          onChange={({ target }) => onChange({ ...filter, actor: target.value })}
        >
          <option value="">Everyone</option>
          {people.map((member) => (
            <option key={member.memberId} value={member.memberId}>
              {toldApart(member)}
            </option>
          ))}
          {isOther && <option value={actor}>{actor}</option>}
          <option value="former">Former members</option>
          <option value="operator">Platform team</option>
        </select>
      </label>
      <label className={css.field}>
        Change
        <select
          className={css.control}
          value={action}
          onChange={({ target }) => onChange({ ...filter, action: target.value })}
        >
          <option value="">Every kind</option>
          {Object.entries(ACTIONS).map(([group, actions]) => (
            <optgroup key={group} label={group}>
              {Object.entries(actions).map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </optgroup>
          ))}
          {action !== '' && !(action in ACTION_WORDS) && <option value={action}>{action}</option>}
        </select>
      </label>
      <TimeField label="From" time={since} onChange={(time) => onChange({ ...filter, since: time ?? '' })} />
      <TimeField label="Until" time={until} onChange={(time) => onChange({ ...filter, until: time ?? '' })} />
      {Object.keys(filter).length > 0 && (
        <Button kind="quiet" onPress={() => onChange({})}>
          Show all
        </Button>
      )}
    </form>
  );
}

/** A name and an address: a name can be anybody's. Each apart from the other in its direction of writing. */
const toldApart = ({ name, email, memberId }: Member): string =>
  [name ?? email ?? memberId, ...(name !== null && email !== null ? [email] : [])]
    .map((text) => `\u2068${text}\u2069`)
    .join(' · ');
