import { useState } from 'react';
import { Check, Copy } from 'lucide-react';
import { useAnnounce } from './announcer.tsx';
import { Button, IconButton } from './button.tsx';
import { copied } from './copied.ts';

interface CopyButtonProps {
  readonly text: string;
  /** The name of the copied text, for screen readers: `the key`. */
  readonly what: string;
  /** It is the primary action. */
  readonly isMain?: boolean;
  /** Only the icon. */
  readonly isBare?: boolean;
  readonly onCopied?: () => void;
  /** The browser refused it. */
  readonly onFailed?: () => void;
}

/** Copies a text, and shows whether that worked: a clipboard may refuse. */
export function CopyButton({ text, what, isMain = false, isBare = false, onCopied, onFailed }: CopyButtonProps) {
  const [label, setLabel] = useState('Copy');
  const announce = useAnnounce();
  const copy = async (): Promise<void> => {
    const isCopied = await copied(text, what, announce);
    setLabel(isCopied ? 'Copied' : 'Not copied');
    if (isCopied) onCopied?.();
    else onFailed?.();
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
