import { ListFilter, Plus, X } from 'lucide-react';
import { Button } from './button.tsx';
import css from './filters.module.css';
import { Icon } from './icon.tsx';

/** What a filter is of, its value in words, and how it is taken away. Without a value it is not set. */
type Chip = readonly [what: string, value: string | undefined, remove: () => void];

interface FilterChipsProps {
  readonly chips: readonly Chip[];
  /** Whether the fields of the filters are shown. */
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onClear: () => void;
}

/** The active filters of a list, each with a button to remove it, and a button for more. */
export function FilterChips({ chips, isOpen, onOpen, onClear }: FilterChipsProps) {
  const chosen = chips.filter(([, value]) => value !== undefined);
  return (
    <div className={css.chips}>
      <Icon of={ListFilter} />
      {chosen.map(([what, value, remove]) => (
        <Button key={what} aria-label={`Without ${what}: ${value}`} onPress={remove}>
          <span className={css.what}>{what}</span> <bdi>{value}</bdi>
          <Icon of={X} size="small" />
        </Button>
      ))}
      <Button icon={Plus} aria-expanded={isOpen} onPress={() => onOpen(!isOpen)}>
        Filter
      </Button>
      {chosen.length > 0 && (
        <Button kind="quiet" onPress={onClear}>
          Clear
        </Button>
      )}
    </div>
  );
}
