import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { AuditFilter } from '../api/people-queries.ts';
import { membersQuery, type Member } from '../api/queries.ts';
import { FilterChips } from '../components/filter-chips.tsx';
import { Filters } from '../components/filters.tsx';
import { Select } from '../components/select.tsx';
import { TimeField } from '../components/time-field.tsx';
import { useNow } from '../components/use-now.ts';
import { whoIs } from '../team/members.ts';
import { tokensQuery } from '../tokens/token-queries.ts';
import { formatMinute } from '../text/format.ts';
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
  const [isOpen, setOpen] = useState(false);
  const nowMs = useNow();
  const { actor = '', action = '', since, until } = filter;
  const people = members.filter(({ status }) => status === 'active');
  const actors = withChosen(actor, [
    ['', 'Everyone'],
    ...people.map((member) => [member.memberId, distinctName(member)] as const),
    ...tokens.map(({ tokenId, name }) => [tokenId, `${isolated(name)} · token`] as const),
    ['former', 'Former members'],
    ['operator', 'Platform team'],
  ]);
  const actions = withChosen(action, [['', 'Every kind'], ...Object.entries(ACTION_WORDS)]);
  return (
    <>
      <FilterChips
        isOpen={isOpen}
        onOpen={setOpen}
        onClear={() => onChange(NO_FILTER)}
        chips={[
          ['By', wordsIn(actors, actor), () => onChange({ actor: undefined })],
          ['Change', wordsIn(actions, action), () => onChange({ action: undefined })],
          ['From', since && formatMinute(since, nowMs), () => onChange({ since: undefined })],
          ['To', until && formatMinute(until, nowMs), () => onChange({ until: undefined })],
        ]}
      />
      {isOpen && (
        <Filters>
          <Select label="By" value={actor} options={actors} onChange={(chosen) => onChange({ actor: chosen })} />
          <Select label="Change" value={action} options={actions} onChange={(chosen) => onChange({ action: chosen })} />
          <TimeField label="From" value={since} onChange={(time) => onChange({ since: time })} />
          <TimeField label="To" value={until} onChange={(time) => onChange({ until: time })} />
        </Filters>
      )}
    </>
  );
}

type Options = readonly (readonly [value: string, words: string])[];

/** The words of a choice. Undefined: nothing is chosen. */
const wordsIn = (options: Options, chosen: string): string | undefined =>
  chosen === '' ? undefined : options.find(([value]) => value === chosen)?.[1];

/** The options, and a value from the address that is none of them. */
const withChosen = (chosen: string, options: Options): Options =>
  options.some(([value]) => value === chosen) ? options : [...options, [chosen, chosen]];

/** A name and an address, since anybody can choose any name. Each has its own direction of writing. */
const distinctName = (member: Member): string =>
  [whoIs(member), ...(member.name !== null && member.email !== null ? [member.email] : [])].map(isolated).join(' · ');
