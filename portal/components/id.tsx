import { useState } from 'react';
import { Check, Copy } from 'lucide-react';
import { Button } from 'react-aria-components/Button';
import { useAnnounce } from './announcer.tsx';
import { copied } from './copied.ts';
import { Icon } from './icon.tsx';
import css from './id.module.css';

interface IdProps {
  readonly of: string;
  /** The kind of id: `request`. */
  readonly what: string;
  /** The number of shown characters. Absent: all. */
  readonly shown?: number;
}

/** An id. A press copies all of it. */
export function Id({ of: id, what, shown = Infinity }: IdProps) {
  const announce = useAnnounce();
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    if (await copied(id, `the id of the ${what}`, announce)) setCopied(true);
  };
  return (
    <Button className={css.id ?? ''} onPress={() => void copy()} aria-label={`Copy the id of the ${what}, ${id}`}>
      <code translate="no">{id.length > shown ? `${id.slice(0, shown)}…` : id}</code>
      <Icon of={isCopied ? Check : Copy} size="small" />
    </Button>
  );
}
