import { useLocation, useSearch } from 'wouter';
import { searchOf, viewOf, type UsageView } from './address.ts';

/** Marks a place of the history that was opened from the page below it: to close it is to go back. */
export const OPENED_HERE = 'opened-here';

/** The view that the address asks for, and the ways to others. */
export function useView() {
  const [path, navigate] = useLocation();
  const view = viewOf(useSearch());
  const addressOf = (changes: Partial<UsageView>): string => path + searchOf({ ...view, ...changes });
  return {
    view,
    addressOf,
    setView: (changes: Partial<UsageView>): void => {
      const address = addressOf(changes);
      if (address !== path + searchOf(view)) navigate(address);
    },
    /** Away from the request that is looked at. */
    closeRequest: (): void => {
      if (history.state === OPENED_HERE) history.back();
      else navigate(addressOf({ requestId: undefined, at: undefined }), { replace: true });
    },
  };
}
