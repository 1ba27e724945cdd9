import { useQuery } from '@tanstack/react-query';
import type { AuditFilter } from '../api/people-queries.ts';
import { membersQuery, type Member } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Filters } from '../components/filters.tsx';
import { Select } from '../components/select.tsx';
import { TimeField } from '../components/time-field.tsx';
import { whoIs } from '../team/members.ts';
import { tokensQuery } from '../tokens/token-queries.ts';
import { isolated } from '../text/names.ts';
import { ACTION_WORDS } from './words.ts';

const NO_FILTER: AuditFilter = { actor: undefined, action: undefined, since: undefined, until: undefined };

interface FilterBarProps {
  readonly accountId: string;
  readonly filter: AuditFilter;
  readonly onChange: (changes: AuditFilter) => void;
}

/** The filter of changes: by person or token, kind and time. */
export function FilterBar({ accountId, filter, onChange }: FilterBarProps) {
  const { data: members = [] } = useQuery(membersQuery(accountId));
  const { data: tokens = [] } = useQuery(tokensQuery(accountId));
  const { actor = '', action = '', since, until } = filter;
  const people = members.filter(({ status }) => status === 'active');
  return (
    <Filters>
      <Select
        label="By"
        value={actor}
        options={withChosen(actor, [
          ['', 'Everyone'],
          ...people.map((member) => [member.memberId, distinctName(member)] as const),
          ...tokens.map(({ tokenId, name }) => [tokenId, `${isolated(name)} · token`] as const),
          ['former', 'Former members'],
          ['operator', 'Platform team'],
        ])}
        onChange={(chosen) => onChange({ actor: chosen })}
      />
      <Select
        label="Change"
        value={action}
        options={withChosen(action, [['', 'Every kind'], ...Object.entries(ACTION_WORDS)])}
        onChange={(chosen) => onChange({ action: chosen })}
      />
      <TimeField label="From" value={since} onChange={(time) => onChange({ since: time })} />
      <TimeField label="To" value={until} onChange={(time) => onChange({ until: time })} />
      {Object.keys(filter).length > 0 && <Button onPress={() => onChange(NO_FILTER)}>Clear</Button>}
    </Filters>
  );
}

type Options = readonly (readonly [value: string, words: string])[];

/** The options, and a value from the address that is none of them. */
const withChosen = (chosen: string, options: Options): Options =>
  options.some(([value]) => value === chosen) ? options : [...options, [chosen, chosen]];

/** A name and an address, since anybody can choose any name. Each has its own direction of writing. */
const distinctName = (member: Member): string =>
  [whoIs(member), ...(member.name !== null && member.email !== null ? [member.email] : [])].map(isolated).join(' · ');
