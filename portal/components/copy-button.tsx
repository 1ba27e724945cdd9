import { useState } from 'react';
import { useAnnounce } from './announcer.tsx';
import { Button } from './button.tsx';

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, for who cannot see what stands beside the button: `the key`. */
  readonly what: string;
  readonly onCopied?: () => void;
  /** The browser did not allow it. */
  readonly onFailed?: () => void;
}

/** Copies a text, and says whether that worked: a clipboard may refuse. */
export function CopyButton({ text, what, onCopied, onFailed }: CopyButtonProps) {
  const [label, setLabel] = useState('Copy');
  const announce = useAnnounce();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setLabel('Copied');
      announce(`Copied ${what}.`);
      onCopied?.();
    } catch {
      setLabel('Not copied');
      announce(`Your browser did not let the page copy ${what}.`);
      onFailed?.();
    }
  };
  return (
    <Button onPress={() => void copy()} aria-label={`${label} ${what}`}>
      {label}
    </Button>
  );
}
