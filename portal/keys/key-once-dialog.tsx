import { useEffect, useRef, useState } from 'react';
import { focusManager, useQueryClient } from '@tanstack/react-query';
import { flushSync } from 'react-dom';
import { refreshAccount } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { CodeTabs } from '../components/code-tabs.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../components/dialog.tsx';
import { Note } from '../components/note.tsx';
import { State } from '../components/state.tsx';
import { commandsFor } from '../docs/samples.ts';
import css from './key-once-dialog.module.css';
import { TestPing } from './test-ping.tsx';

/** A key as it was created, this once. */
export interface NewKey {
  readonly keyId: string;
  readonly key: string;
}

interface KeyOnceDialogProps {
  /** Held by the page that opens the dialog, in memory; it must let go of it in `onClosed`. */
  readonly newKey: NewKey;
  readonly gatewayUrl: string;
  /** Whose lists are read again afterwards. */
  readonly accountId: string;
  readonly onClosed: () => void;
}

/** Shows a new key, once: what to do with it, a ping with it, and a question before it is gone without a copy. */
export function KeyOnceDialog({ newKey: { key }, gatewayUrl, accountId, onClosed }: KeyOnceDialogProps) {
  const [copy, setCopy] = useState<'none' | 'done' | 'failed'>('none');
  const [isAsking, setAsking] = useState(false);
  const isCopied = copy === 'done';
  useQuietPage(accountId);
  useLeaving(isCopied, onClosed);
  const setCopied = (): void => {
    setCopy('done');
    setAsking(false);
  };
  const setFailed = (): void => setCopy((before) => (before === 'done' ? before : 'failed'));
  return (
    <Dialog
      title="Your new key. You see it only now"
      about="We keep a hash of it, not the key. Put it in your server's environment, never in a page or a repository."
      onClose={() => (isCopied ? onClosed() : setAsking(true))}
      isGuarded
      role="alertdialog"
    >
      <div onCopy={() => document.getSelection()?.toString().includes(key) && setCopied()}>
        <DialogBody>
          <div className={css.secret}>
            <code className={css.text} translate="no">
              {key}
            </code>
            <CopyButton text={key} what="the key" isMain onCopied={setCopied} onFailed={setFailed} />
          </div>
          {copy === 'failed' && (
            <Note kind="bad" isAlert>
              Your browser did not let the page copy. Select the key and copy it yourself.
            </Note>
          )}
          <CodeTabs
            languages={Object.entries(commandsFor(gatewayUrl, key)).map(([name, text]) => ({
              ...{ name, text, what: `the commands with ${name}` },
            }))}
            gatewayUrl={gatewayUrl}
            apiKey={key}
            onCopied={setCopied}
            onFailed={setFailed}
          />
          <TestPing gatewayUrl={gatewayUrl} apiKey={key} />
        </DialogBody>
      </div>
      {isAsking && !isCopied ? (
        <CloseQuestion onStay={() => setAsking(false)} onClose={onClosed} />
      ) : (
        <DialogFoot hint={<State kind={isCopied ? 'good' : 'warn'}>{isCopied ? 'Copied' : 'Not copied yet'}</State>}>
          <Button onPress={() => (isCopied ? onClosed() : setAsking(true))}>Close</Button>
        </DialogFoot>
      )}
    </Dialog>
  );
}

/** Asks before the key is gone; the focus is on what keeps it. */
const CloseQuestion = ({ onStay, onClose }: { readonly onStay: () => void; readonly onClose: () => void }) => (
  <DialogFoot
    hint={
      <span role="alert">
        <b>You have not copied the key.</b> You cannot see it again.
      </span>
    }
  >
    <Button onPress={onStay} autoFocus>
      Keep it open
    </Button>
    <Button kind="danger" onPress={onClose}>
      Close without a copy
    </Button>
  </DialogFoot>
);

/**
 * Nothing is read again while the key is shown: an ended session or a changed list would take it off the page. Then, in
 * whichever way it ended, all of the account is.
 */
function useQuietPage(accountId: string): void {
  const client = useQueryClient();
  useEffect(() => {
    focusManager.setFocused(false);
    return () => {
      focusManager.setFocused(undefined);
      void refreshAccount(client, accountId);
    };
  }, [client, accountId]);
}

/** Asks before the page is left without a copy; once it is left the key is gone, also from the page kept for Back. */
function useLeaving(isCopied: boolean, onClosed: () => void): void {
  const drop = useRef(onClosed);
  useEffect(() => {
    drop.current = onClosed;
  }, [onClosed]);
  useEffect(() => {
    const leave = (): void => flushSync(() => drop.current());
    addEventListener('pagehide', leave);
    return () => removeEventListener('pagehide', leave);
  }, []);
  useEffect(() => {
    if (isCopied) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isCopied]);
}
