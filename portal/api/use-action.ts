import { useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useIsLeaving } from '../navigation.tsx';
import { noAnswer, PortalError } from './problem.ts';
import { handleRefusal, refreshAccounts } from './queries.ts';

/** One action of a person. */
export interface Action<Input> {
  /** Starts the action. A second call is ignored meanwhile, and while the page that it led to is on its way. */
  readonly run: (input: Input) => void;
  readonly isPending: boolean;
  /** Why the last attempt did not succeed. */
  readonly error: PortalError | undefined;
}

/**
 * A removal, for {@link useAction}. After an attempt without an answer, the refusal that there is nothing to remove
 * (`gone`) is a success: that attempt was executed.
 */
export function useRemoval(
  send: () => Promise<unknown>,
  gone: PortalError['code'] = 'NOT_FOUND',
): () => Promise<unknown> {
  const isOpen = useRef(false);
  return () =>
    send().catch((error: unknown) => {
      if (!(error instanceof PortalError)) throw error;
      if (isOpen.current && error.code === gone) return;
      isOpen.current ||= error.isOpen;
      throw error;
    });
}

/**
 * A change in the portal. `send` gets the header of an Idempotency-Key. It is the same one until the change succeeded
 * or the input is another, so a repeat after a lost answer changes nothing twice. The result goes to `onDone` and is
 * stored nowhere, since it may hold a key. `onRefused` is called with the reason of a failure, before the page acts on
 * it.
 */
export function useAction<Input, Result>(
  send: (input: Input, header: { readonly 'Idempotency-Key': string }) => Promise<Result>,
  onDone: (result: Result, input: Input) => void | Promise<void>,
  onRefused: (error: PortalError) => void = () => undefined,
): Action<Input> {
  const client = useQueryClient();
  const [isStarted, setStarted] = useState(false);
  const [hasLed, setLed] = useState(false);
  const [error, setError] = useState<PortalError>();
  // While the next page is on its way, the form is still shown: a second call would do the same again.
  const isLeaving = useIsLeaving() && hasLed;
  const isRunning = useRef(false);
  const attempt = useRef({ input: '', idempotencyKey: '' });

  const perform = async (input: Input): Promise<void> => {
    const text = JSON.stringify([input]);
    const { pathname } = location;
    if (attempt.current.input !== text || attempt.current.idempotencyKey === '') {
      attempt.current = { input: text, idempotencyKey: crypto.randomUUID() };
    }
    try {
      const result = await send(input, { 'Idempotency-Key': attempt.current.idempotencyKey });
      attempt.current.idempotencyKey = '';
      setError(undefined);
      await onDone(result, input);
      setLed(location.pathname !== pathname);
    } catch (failure) {
      const known = failure instanceof PortalError ? failure : noAnswer();
      setError(known);
      onRefused(known);
      handleRefusal(client, known);
      // The page showed stale data.
      if (!known.isTransient && known.field === undefined) void refreshAccounts(client);
    }
  };

  const run = (input: Input): void => {
    if (isRunning.current || isLeaving) return;
    isRunning.current = true;
    setStarted(true);
    setLed(false);
    void perform(input).finally(() => {
      isRunning.current = false;
      setStarted(false);
    });
  };
  return { run, isPending: isStarted || isLeaving, error };
}
