import { useEffect, useState } from 'react';

const TICK_MS = 10_000;

/** The time of the reader's clock, in epoch milliseconds, updated every ten seconds. */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
