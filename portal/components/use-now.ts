import { useEffect, useState } from 'react';
import { nowMs } from '../api/clock.ts';

const TICK_MS = 10_000;

/** The portal's time, in epoch milliseconds, updated every ten seconds. */
export function useNow(): number {
  const [shownMs, setShownMs] = useState(nowMs);
  useEffect(() => {
    const timer = setInterval(() => setShownMs(nowMs()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return shownMs;
}
