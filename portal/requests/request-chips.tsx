import { ListFilter, Plus, X } from 'lucide-react';
import type { Key } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { useNow } from '../components/use-now.ts';
import { inWords } from '../keys/key-view.ts';
import { formatMinute } from '../text/format.ts';
import type { UsageView } from '../usage/address.ts';
import css from './request-chips.module.css';
import { outcomeNamed } from './outcomes.ts';

/** The change of a view that removes all filters. */
export const NO_FILTER = {
  keyId: undefined,
  event: undefined,
  code: undefined,
  clientRequestId: undefined,
  since: undefined,
  until: undefined,
};

interface RequestChipsProps {
  readonly view: UsageView;
  readonly keys: readonly Key[];
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onView: (changes: Partial<UsageView>) => void;
}

/** The active filters of the list of requests, each with a button to remove it, and a button for more. */
export function RequestChips({ view, keys, isOpen, onOpen, onView }: RequestChipsProps) {
  const nowMs = useNow();
  const { keyId, event, code, clientRequestId, since, until } = view;
  const key = keys.find((candidate) => candidate.keyId === keyId);
  const chips: readonly (readonly [what: string, value: string | undefined, without: Partial<UsageView>])[] = [
    ['Key', keyId && (key ? inWords(key) : keyId), { keyId: undefined }],
    ['Outcome', event && outcomeNamed(event).words, { event: undefined }],
    ['Code', code, { code: undefined }],
    ['Client’s id', clientRequestId, { clientRequestId: undefined }],
    ['From', since && formatMinute(since, nowMs), { since: undefined }],
    ['To', until && formatMinute(until, nowMs), { until: undefined }],
  ];
  const chosen = chips.filter(([, value]) => value !== undefined);
  return (
    <div className={css.chips}>
      <Icon of={ListFilter} />
      {chosen.map(([what, value, without]) => (
        <Button key={what} aria-label={`Without ${what}: ${value}`} onPress={() => onView(without)}>
          <span className={css.what}>{what}</span> <bdi>{value}</bdi>
          <Icon of={X} size="small" />
        </Button>
      ))}
      <Button icon={Plus} aria-expanded={isOpen} onPress={() => onOpen(!isOpen)}>
        Filter
      </Button>
      {chosen.length > 0 && (
        <Button kind="quiet" onPress={() => onView(NO_FILTER)}>
          Clear
        </Button>
      )}
    </div>
  );
}
