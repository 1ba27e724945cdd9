import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { searchOf, viewOf, type UsageView, type ViewChange } from './address.ts';

/** Marks a history entry that was opened from the page before it. Closing it goes back. */
export const OPENED_HERE = 'opened-here';

/** The view of the address, and functions that change it. They stay the same while one request is shown. */
export function useView() {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const view = useMemo(() => viewOf(search), [search]);
  const below = searchOf({ ...view, requestId: undefined });
  const ways = useMemo(() => {
    const page = viewOf(below);
    const addressOf = (changes: Partial<UsageView>): string => path + searchOf({ ...page, ...changes });
    return {
      /** The view without the opened request. */
      page,
      addressOf,
      setView: (changes: ViewChange): void => {
        // The shown view may be older than the address, or may belong to a page that was just left.
        if (location.pathname !== path) return;
        const present: UsageView = { ...viewOf(location.search), requestId: undefined };
        const next = searchOf({ ...present, ...(typeof changes === 'function' ? changes(present) : changes) });
        if (next !== searchOf(present)) navigate(path + next);
      },
      /** Closes the opened request. */
      closeRequest: (): void => {
        if (history.state === OPENED_HERE) {
          // The browser steps back some time after it was told to. Told again meanwhile, it would leave the page.
          history.replaceState(null, '');
          history.back();
        } else navigate(path + below, { replace: true });
      },
    };
  }, [path, below, navigate]);
  return { view, ...ways };
}
