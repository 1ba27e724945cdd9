import { CodeTabs } from '../components/code-tabs.tsx';
import { OnceDialog } from '../components/once-dialog.tsx';
import { commandsFor } from '../docs/samples.ts';
import { TestPing } from './test-ping.tsx';

/** A key that was just created, shown once. */
export interface NewKey {
  readonly keyId: string;
  readonly key: string;
}

interface KeyOnceDialogProps {
  /** The page that opens the dialog holds it in memory, and must drop it in `onClosed`. */
  readonly newKey: NewKey;
  readonly gatewayUrl: string;
  /** The account whose lists are read again afterwards. */
  readonly accountId: string;
  readonly onClosed: () => void;
}

/** Shows a new key once, what to do with it, and a test ping. */
export const KeyOnceDialog = ({ newKey: { key }, gatewayUrl, accountId, onClosed }: KeyOnceDialogProps) => (
  <OnceDialog
    title="Your new key. You see it only now"
    about="We keep a hash of it, not the key. Put it in your server's environment, never in a page or a repository."
    secret={key}
    what="key"
    accountId={accountId}
    onClosed={onClosed}
  >
    {(copied) => (
      <>
        <CodeTabs
          languages={Object.entries(commandsFor(gatewayUrl, key)).map(([name, text]) => ({
            ...{ name, text, what: `the commands with ${name}` },
          }))}
          gatewayUrl={gatewayUrl}
          apiKey={key}
          {...copied}
        />
        <TestPing gatewayUrl={gatewayUrl} apiKey={key} />
      </>
    )}
  </OnceDialog>
);
