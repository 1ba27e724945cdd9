import { useEffect, useRef, useState, type ReactNode } from 'react';
import { focusManager, useQueryClient } from '@tanstack/react-query';
import { flushSync } from 'react-dom';
import { refreshAccounts } from '../api/queries.ts';
import { useAnnounce } from './announcer.tsx';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Dialog, DialogBody, DialogFoot } from './dialog.tsx';
import { Note } from './note.tsx';
import css from './once-dialog.module.css';
import { State } from './state.tsx';

interface OnceDialogProps {
  readonly title: string;
  readonly about: string;
  /** The page that opens the dialog holds it in memory, and must drop it in `onClosed`. */
  readonly secret: string;
  /** The kind of secret: `key`. */
  readonly what: string;
  readonly onClosed: () => void;
  /** What to do with the secret. */
  readonly children: ReactNode;
}

/** Shows a secret once, and asks before it is lost without a copy. */
export function OnceDialog({ title, about, secret, what, onClosed, children }: OnceDialogProps) {
  const [copy, setCopy] = useState<'none' | 'done' | 'failed'>('none');
  const [isAsking, setAsking] = useState(false);
  const isCopied = copy === 'done';
  useQuietPage();
  // A toast of the step before would lie over the buttons.
  const announce = useAnnounce();
  useEffect(() => announce(''), [announce]);
  useLeaving(isCopied, onClosed, () => setAsking(true));
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
      isWide
      role="alertdialog"
    >
      <div className={css.content} onCopy={() => document.getSelection()?.toString().includes(secret) && onCopied()}>
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
          {children}
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

/** Asks before the secret is lost. The focus is on the button that keeps it. */
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
 * Nothing is read again while the secret is shown: an ended session or a changed list would remove it from the page.
 * Afterwards all data of the page is read again, however the dialog ended.
 */
function useQuietPage(): void {
  const client = useQueryClient();
  useEffect(() => {
    focusManager.setFocused(false);
    return () => {
      focusManager.setFocused(undefined);
      void refreshAccounts(client);
    };
  }, [client]);
}

/**
 * Asks before the page is left without a copy, by Back too, which stays within the portal's one document. After that
 * the secret is gone, also from a page that the browser keeps for Back.
 */
function useLeaving(isCopied: boolean, onClosed: () => void, onBack: () => void): void {
  const drop = useRef(onClosed);
  const askOnPage = useRef(onBack);
  useEffect(() => {
    drop.current = onClosed;
    askOnPage.current = onBack;
  }, [onClosed, onBack]);
  useEffect(() => {
    const leave = (): void => flushSync(() => drop.current());
    addEventListener('pagehide', leave);
    return () => removeEventListener('pagehide', leave);
  }, []);
  useEffect(() => {
    if (isCopied) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    const stay = (event: NavigateEvent): void => {
      // A browser lets a page hold Back once after each press in the page.
      if (event.navigationType !== 'traverse' || !event.cancelable || !event.destination.sameDocument) return;
      event.preventDefault();
      askOnPage.current();
    };
    // Absent in older browsers: there Back leaves, as a link would.
    const { navigation } = globalThis as { readonly navigation?: Navigation };
    addEventListener('beforeunload', ask);
    navigation?.addEventListener('navigate', stay);
    return () => {
      removeEventListener('beforeunload', ask);
      navigation?.removeEventListener('navigate', stay);
    };
  }, [isCopied]);
}
