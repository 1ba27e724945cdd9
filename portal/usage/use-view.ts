import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { searchOf, viewOf, type UsageView } from './address.ts';

/** Marks a history entry that was opened from the page before it. Closing it goes back. */
export const OPENED_HERE = 'opened-here';

/** The view of the address, and functions that change it. They stay the same while one request is shown. */
export function useView() {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const view = useMemo(() => viewOf(search), [search]);
  const below = searchOf({ ...view, requestId: undefined, at: undefined });
  const ways = useMemo(() => {
    const page = viewOf(below);
    const addressOf = (changes: Partial<UsageView>): string => path + searchOf({ ...page, ...changes });
    return {
      /** The view without the opened request. */
      page,
      addressOf,
      setView: (changes: Partial<UsageView>): void => {
        // The shown view may be older than the address, or may belong to a page that was just left.
        if (location.pathname !== path) return;
        const present = searchOf({ ...viewOf(location.search), requestId: undefined, at: undefined });
        const next = searchOf({ ...viewOf(present), ...changes });
        if (next !== present) navigate(path + next);
      },
      /** Closes the opened request. */
      closeRequest: (): void => {
        if (history.state === OPENED_HERE) history.back();
        else navigate(path + below, { replace: true });
      },
    };
  }, [path, below, navigate]);
  return { view, ...ways };
}
