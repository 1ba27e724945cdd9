import { Button } from 'react-aria-components/Button';
import { useAnnounce } from './announcer.tsx';
import css from './id.module.css';

interface IdProps {
  readonly of: string;
  /** What it is the id of: `request`. */
  readonly what: string;
  /** Characters that are shown; all, without it. */
  readonly shown?: number;
}

/** An id; pressed, it is copied whole. */
export function Id({ of: id, what, shown = Infinity }: IdProps) {
  const announce = useAnnounce();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(id);
      announce(`Copied the id of the ${what}.`);
    } catch {
      announce('Your browser did not let the page copy.');
    }
  };
  return (
    <Button className={css.id ?? ''} onPress={() => void copy()} aria-label={`Copy the id of the ${what}, ${id}`}>
      <code translate="no">{id.length > shown ? `${id.slice(0, shown)}…` : id}</code>
      <svg viewBox="0 0 16 16" className={css.icon} aria-hidden="true">
        <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
        <path d="M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2" />
      </svg>
    </Button>
  );
}
