import { createContext, use, useCallback, useMemo, useState, type ReactNode } from 'react';
import css from './announcer.module.css';

const Announce = createContext<(text: string) => void>(() => undefined);

/** Tells by voice what has been done; those who see it see it in the list that changed. */
export const useAnnounce = (): ((text: string) => void) => use(Announce);

/** Where announcements are made: a place that is there before them, or a screen reader would miss the first. */
export function Announcer({ children }: { readonly children: ReactNode }) {
  const [said, setSaid] = useState({ text: '', count: 0 });
  const announce = useCallback((text: string) => setSaid(({ count }) => ({ text, count: count + 1 })), []);
  const spoken = useMemo(() => <span key={said.count}>{said.text}</span>, [said]);
  return (
    <Announce value={announce}>
      {children}
      <div role="status" className={css.spoken}>
        {spoken}
      </div>
    </Announce>
  );
}
