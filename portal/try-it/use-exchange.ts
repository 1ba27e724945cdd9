import { use, useEffect, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { noAnswer, PortalError } from '../api/problem.ts';
import { handleRefusal, refreshAccounts } from '../api/queries.ts';
import type { ProjectIds } from '../api/usage-queries.ts';
import type { Ping } from '../keys/ping.ts';
import type { ExchangeProps } from './exchange.tsx';
import { hourKeys, type HourKeyView } from './hour-key.ts';
import { ProvideContext, type PingResult } from './simulating.tsx';
import { newOrder, send, resultOf, withSimulation } from './requests.ts';

type Last = Omit<ExchangeProps, 'onAgain' | 'isPending'>;

/**
 * Sends the requests of the page, and has the result of the last one. Only this hook has the key, and ends it with the
 * page.
 */
export function useExchange(ids: ProjectIds, gatewayUrl: string, draft: Ping, setDraft: (draft: Ping) => void) {
  const client = useQueryClient();
  const [keys] = useState(hourKeys);
  const [keyView, setKeyView] = useState<HourKeyView>();
  const [last, setLast] = useState<Last>();
  const [error, setError] = useState<PortalError>();
  const [isPending, setPending] = useState(false);
  const isSending = useRef(false);

  useEffect(() => {
    const leave = (): void => {
      setKeyView(undefined);
      void keys.end().catch(() => undefined);
    };
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      // Lists of keys then show its end.
      void keys
        .end()
        .then(() => refreshAccounts(client))
        .catch(() => undefined);
    };
  }, [keys, client]);

  // The key of another project is not needed any more.
  const { projectId } = ids;
  const isOfOther = keyView !== undefined && keyView.ids.projectId !== projectId;
  if (isOfOther) setKeyView(undefined);
  useEffect(() => () => void keys.end().catch(() => undefined), [keys, projectId]);

  const attempt = async (ping: Ping): Promise<PingResult | undefined> => {
    try {
      const made = await keys.keyFor(ids);
      setError(undefined);
      if (!made) return undefined;
      setKeyView(made.view);
      const answer = await send(gatewayUrl, made.key, ping);
      const result = resultOf(answer, ping, ids);
      // Somebody has ended the key. The next request makes another.
      if (result.status === 401 && result.outcome !== 'simulated') {
        keys.forget();
        setKeyView(undefined);
      }
      setLast({ ping, answer, result, gatewayUrl, lastFour: made.view.lastFour });
      return result;
    } catch (failure) {
      const known = failure instanceof PortalError ? failure : noAnswer();
      setError(known);
      handleRefusal(client, known);
      return { words: known.message };
    }
  };

  const sendOnce = async (ping: Ping): Promise<PingResult | undefined> => {
    if (isSending.current) return undefined;
    isSending.current = true;
    setPending(true);
    try {
      return await attempt(ping);
    } finally {
      isSending.current = false;
      setPending(false);
    }
  };

  useProvided((code) => {
    if (isSending.current) return Promise.resolve(undefined);
    const ping = { body: withSimulation(draft.body, code), idempotencyKey: newOrder() };
    setDraft(ping);
    return sendOnce(ping);
  });

  return { send: sendOnce, last, keyView: isOfOther ? undefined : keyView, error, isPending };
}

/** Passes the console's function to the pages beside it, as long as it exists. */
function useProvided(simulate: (code: string) => Promise<PingResult | undefined>): void {
  const provide = use(ProvideContext);
  const latest = useRef(simulate);
  useEffect(() => {
    latest.current = simulate;
  });
  useEffect(() => {
    provide((code) => latest.current(code));
    return () => provide(undefined);
  }, [provide]);
}
