import { useState } from 'react';
import type { Key } from '../api/schemas.ts';
import { Filters } from '../components/filters.tsx';
import { Select } from '../components/select.tsx';
import { TimeField } from '../components/time-field.tsx';
import { keyOptions, inWords } from '../keys/key-view.ts';
import { NO_FILTER, type UsageView } from '../usage/address.ts';
import { ERRORS } from '../gateway/errors.ts';
import { OUTCOMES, outcomeNamed } from './outcomes.ts';
import css from './request-filters.module.css';
import { FilterChips } from '../components/filter-chips.tsx';
import { useNow } from '../components/use-now.ts';
import { formatMinute } from '../text/format.ts';

/** Refusals without an event: they belong to no project. A simulated failure has one. */
const WITHOUT_EVENT = ['MISSING_API_KEY', 'INVALID_API_KEY', 'NOT_FOUND', 'METHOD_NOT_ALLOWED'];
const CODES = ERRORS.map(({ code }) => code).filter((code) => !WITHOUT_EVENT.includes(code));

interface RequestFiltersProps {
  readonly view: UsageView;
  readonly keys: readonly Key[];
  readonly onView: (changes: Partial<UsageView>) => void;
}

/** Whether a view has a filter. */
export const isFiltered = ({ keyId, event, code, clientRequestId, since, until }: UsageView): boolean =>
  [keyId, event, code, clientRequestId, since, until].some((value) => value !== undefined);

/** The filters of requests. Each choice applies at once, and is in the address. */
export function RequestFilters({ view, keys, onView }: RequestFiltersProps) {
  const { keyId, event, code, since, until } = view;
  const [isReversed, setReversed] = useState(false);
  const codes = code === undefined || CODES.includes(code) ? CODES : [...CODES, code];
  const setTimes = (times: { since?: string | undefined; until?: string | undefined }): void => {
    const next = { since, until, ...times };
    const isWrong = next.since !== undefined && next.until !== undefined && next.since >= next.until;
    setReversed(isWrong);
    // The other filter may have changed already, and not be shown yet.
    if (!isWrong) onView(times);
  };
  return (
    <Filters>
      <Select
        label="Key"
        value={keyId ?? ''}
        options={keyOptions(keys, keyId)}
        onChange={(id) => onView({ keyId: id || undefined })}
      />
      <Select
        label="Outcome"
        value={event ?? ''}
        options={[['', 'All outcomes'], ...OUTCOMES.map((outcome) => [outcome.event, outcome.words] as const)]}
        onChange={(chosen) => onView({ event: OUTCOMES.find((outcome) => outcome.event === chosen)?.event })}
      />
      <Select
        label="Code"
        value={code ?? ''}
        options={[['', 'All codes'], ...codes.map((name) => [name, name] as const)]}
        onChange={(chosen) => onView({ code: chosen || undefined })}
      />
      <TimeField label="From" value={since} onChange={(time) => setTimes({ since: time })} />
      <TimeField label="To" value={until} onChange={(time) => setTimes({ until: time })} />
      {isReversed && (
        <p className={css.wrong} role="alert">
          “To” must be later than “From”.
        </p>
      )}
    </Filters>
  );
}

interface RequestChipsProps {
  readonly view: UsageView;
  readonly keys: readonly Key[];
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onView: (changes: Partial<UsageView>) => void;
}

/** The active filters of the list of requests. */
export function RequestChips({ view, keys, onView, ...props }: RequestChipsProps) {
  const nowMs = useNow();
  const { keyId, event, code, clientRequestId, since, until } = view;
  const key = keys.find((candidate) => candidate.keyId === keyId);
  const without = (names: Partial<UsageView>) => (): void => onView(names);
  return (
    <FilterChips
      {...props}
      onClear={() => onView(NO_FILTER)}
      chips={[
        ['Key', keyId && (key ? inWords(key) : keyId), without({ keyId: undefined })],
        ['Outcome', event && outcomeNamed(event).words, without({ event: undefined })],
        ['Code', code, without({ code: undefined })],
        ['Client’s id', clientRequestId, without({ clientRequestId: undefined })],
        ['From', since && formatMinute(since, nowMs), without({ since: undefined })],
        ['To', until && formatMinute(until, nowMs), without({ until: undefined })],
      ]}
    />
  );
}
