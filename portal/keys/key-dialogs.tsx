import type { Key } from '../api/queries.ts';
import { CapDialog } from './cap-dialog.tsx';
import { ExpiryDialog } from './expiry-dialog.tsx';
import { PauseDialog } from './pause-dialog.tsx';
import type { NewKey } from './key-once-dialog.tsx';
import { RenameKey } from './rename-key.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';

/** The dialogs about a key. */
export interface AskedKey {
  readonly about: 'rename' | 'cap' | 'expiry' | 'pause' | 'rotate' | 'revoke';
  readonly key: Key;
}

interface KeyDialogsProps {
  readonly accountId: string;
  readonly projectId: string;
  /** Undefined: no dialog is open. */
  readonly asked: AskedKey | undefined;
  /** The predecessor of the key, if the page knows it and it still works. */
  readonly predecessor: Key | undefined;
  /** Called with the key that a rotation made. */
  readonly onCreated: (key: NewKey) => void;
  readonly onClose: () => void;
}

/** The open dialog about a key. */
export function KeyDialogs({ accountId, projectId, asked, predecessor, onCreated, onClose }: KeyDialogsProps) {
  if (!asked) return null;
  const { about, key: apiKey } = asked;
  const shared = { accountId, projectId, apiKey, onClose };
  if (about === 'rename') return <RenameKey {...shared} />;
  if (about === 'cap') return <CapDialog {...shared} />;
  if (about === 'expiry') return <ExpiryDialog {...shared} />;
  if (about === 'pause') return <PauseDialog {...shared} />;
  if (about === 'revoke') return <RevokeDialog {...shared} />;
  return (
    <RotateDialog
      {...shared}
      predecessor={predecessor}
      onCreated={(created) => {
        onClose();
        onCreated(created);
      }}
    />
  );
}
