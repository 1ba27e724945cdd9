import { useState } from 'react';
import { Check, Copy } from 'lucide-react';
import { useAnnounce } from './announcer.tsx';
import { Button, IconButton } from './button.tsx';

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, for who cannot see what stands beside the button: `the key`. */
  readonly what: string;
  /** It is what is to be pressed first. */
  readonly isMain?: boolean;
  /** Only the icon. */
  readonly isBare?: boolean;
  readonly onCopied?: () => void;
  /** The browser did not allow it. */
  readonly onFailed?: () => void;
}

/** Copies a text, and says whether that worked: a clipboard may refuse. */
export function CopyButton({ text, what, isMain = false, isBare = false, onCopied, onFailed }: CopyButtonProps) {
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
  const icon = label === 'Copied' ? Check : Copy;
  const props = { icon, onPress: () => void copy(), 'aria-label': `${label} ${what}` };
  if (isBare) return <IconButton {...props} />;
  return (
    <Button {...props} kind={isMain ? 'primary' : undefined}>
      {label}
    </Button>
  );
}
