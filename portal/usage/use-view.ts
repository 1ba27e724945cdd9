import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { searchOf, viewOf, type UsageView } from './address.ts';

/** Marks a place of the history that was opened from the page below it: to close it is to go back. */
export const OPENED_HERE = 'opened-here';

/** The view that the address asks for, and the ways to others, which stay the same while one request is looked at. */
export function useView() {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const view = useMemo(() => viewOf(search), [search]);
  const below = searchOf({ ...view, requestId: undefined, at: undefined });
  const ways = useMemo(() => {
    const page = viewOf(below);
    const addressOf = (changes: Partial<UsageView>): string => path + searchOf({ ...page, ...changes });
    return {
      /** The view without the request that is looked at. */
      page,
      addressOf,
      setView: (changes: Partial<UsageView>): void => {
        const address = addressOf(changes);
        if (address !== path + below) navigate(address);
      },
      /** Away from the request that is looked at. */
      closeRequest: (): void => {
        if (history.state === OPENED_HERE) history.back();
        else navigate(path + below, { replace: true });
      },
    };
  }, [path, below, navigate]);
  return { view, ...ways };
}
