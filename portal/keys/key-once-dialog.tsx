import { CodeTabs } from '../components/code-tabs.tsx';
import { OnceDialog } from '../components/once-dialog.tsx';
import { useRegistryPackages } from '../docs/install.tsx';
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
  readonly onClosed: () => void;
}

/** Shows a new key once, what to do with it, and a test ping. */
export function KeyOnceDialog({ newKey: { key }, onClosed }: KeyOnceDialogProps) {
  const packages = useRegistryPackages();
  return (
    <OnceDialog
      title="Your new key. You see it only now"
      about="We keep only its hash. Put it into your server’s environment, never into a page."
      secret={key}
      what="key"
      onClosed={onClosed}
    >
      <CodeTabs
        languages={Object.entries(commandsFor(packages)).map(([name, [text, then]]) => ({
          name,
          text,
          what: `the command that takes the key, for ${name}`,
          next: {
            about: 'Paste the key and press Enter. Neither the terminal nor its history shows it. Then:',
            text: then,
            what: `the commands with ${name}`,
          },
        }))}
      />
      <TestPing apiKey={key} />
    </OnceDialog>
  );
}
