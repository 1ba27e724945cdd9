import { useEffect, useRef, useState, type ReactNode } from 'react';
import { focusManager, useQueryClient } from '@tanstack/react-query';
import { flushSync } from 'react-dom';
import { refreshAccount } from '../api/queries.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Dialog, DialogBody, DialogFoot } from './dialog.tsx';
import { Note } from './note.tsx';
import css from './once-dialog.module.css';
import { State } from './state.tsx';

interface OnceDialogProps {
  readonly title: string;
  readonly about: string;
  /** Held by the page that opens the dialog, in memory; it must let go of it in `onClosed`. */
  readonly secret: string;
  /** What it is: `key`. */
  readonly what: string;
  /** Whose lists are read again afterwards. */
  readonly accountId: string;
  readonly onClosed: () => void;
  /** What to do with it; it may copy it, too. */
  readonly children: (copied: Copied) => ReactNode;
}

/** What is told of an attempt to copy the secret. */
interface Copied {
  readonly onCopied: () => void;
  readonly onFailed: () => void;
}

/** Shows a secret, once, with a question before it is gone without a copy. */
export function OnceDialog({ title, about, secret, what, accountId, onClosed, children }: OnceDialogProps) {
  const [copy, setCopy] = useState<'none' | 'done' | 'failed'>('none');
  const [isAsking, setAsking] = useState(false);
  const isCopied = copy === 'done';
  useQuietPage(accountId);
  useLeaving(isCopied, onClosed);
  const onCopied = (): void => {
    setCopy('done');
    setAsking(false);
  };
  const onFailed = (): void => setCopy((before) => (before === 'done' ? before : 'failed'));
  return (
    <Dialog
      title={title}
      about={about}
      onClose={() => (isCopied ? onClosed() : setAsking(true))}
      isGuarded
      role="alertdialog"
    >
      <div onCopy={() => document.getSelection()?.toString().includes(secret) && onCopied()}>
        <DialogBody>
          <div className={css.secret}>
            <code className={css.text} translate="no">
              {secret}
            </code>
            <CopyButton text={secret} what={`the ${what}`} isMain onCopied={onCopied} onFailed={onFailed} />
          </div>
          {copy === 'failed' && (
            <Note kind="bad" isAlert>
              Your browser did not let the page copy. Select the {what} and copy it yourself.
            </Note>
          )}
          {children({ onCopied, onFailed })}
        </DialogBody>
      </div>
      {isAsking && !isCopied ? (
        <CloseQuestion what={what} onStay={() => setAsking(false)} onClose={onClosed} />
      ) : (
        <DialogFoot hint={<State kind={isCopied ? 'good' : 'warn'}>{isCopied ? 'Copied' : 'Not copied yet'}</State>}>
          <Button onPress={() => (isCopied ? onClosed() : setAsking(true))}>Close</Button>
        </DialogFoot>
      )}
    </Dialog>
  );
}

interface CloseQuestionProps {
  readonly what: string;
  readonly onStay: () => void;
  readonly onClose: () => void;
}

/** Asks before the secret is gone; the focus is on what keeps it. */
const CloseQuestion = ({ what, onStay, onClose }: CloseQuestionProps) => (
  <DialogFoot
    hint={
      <span role="alert">
        <b>You have not copied the {what}.</b> You cannot see it again.
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
 * Nothing is read again while the secret is shown: an ended session or a changed list would take it off the page. Then, in
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

/** Asks before the page is left without a copy; once it is left the secret is gone, also from the page kept for Back. */
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
