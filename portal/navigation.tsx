import {
  createContext,
  use,
  startTransition,
  useCallback,
  useEffect,
  useLayoutEffect,
  useState,
  type ReactNode,
} from 'react';
import { Router, type AroundNavHandler } from 'wouter';
import { navigate, useBrowserLocation, useSearch } from 'wouter/use-browser-location';
import { afterPaint } from './components/after-paint.ts';
import css from './navigation.module.css';

const Path = createContext('');
const Query = createContext('');
const Leaving = createContext(false);

const usePath = (): [string, typeof navigate] => [use(Path), navigate];
const useQueryString = (): string => use(Query);

/** Whether another page is being loaded or drawn while this one is still shown. */
export const useIsLeaving = (): boolean => use(Leaving);

/**
 * The address of the shown page. After a press it changes only when the next page is drawn. Until then the browser is
 * not blocked, so the press is shown at once, however slow the next page is. Back and Forward to another page are drawn
 * at once, since the browser then restores the scroll position.
 */
export function Navigation({ children }: { readonly children: ReactNode }) {
  const [isPressed, setPressed] = useState(false);
  const [path] = useBrowserLocation();
  const search = useSearch();
  const [drawn, setDrawn] = useState({ path, search });
  useEffect(() => afterPaint(() => startTransition(() => setDrawn({ path, search }))), [path, search]);
  const isOnItsWay = isPressed && (path !== drawn.path || search !== drawn.search);
  const shownPath = isPressed ? drawn.path : path;
  // This runs before the router handles the event.
  useEffect(() => {
    const step = (): void => setPressed(location.pathname === shownPath);
    addEventListener('popstate', step, { capture: true });
    return () => removeEventListener('popstate', step, { capture: true });
  }, [shownPath]);
  useLayoutEffect(() => {
    if (isPressed && location.hash === '') scrollTo(0, 0);
    // A new page begins at its top.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [shownPath]);
  const aroundNav = useCallback<AroundNavHandler>((go, to, options) => {
    setPressed(true);
    // A second press of the same link adds no second history entry, as with pages that the browser loads.
    const isPresent = to === location.pathname + location.search + location.hash;
    go(to, isPresent ? { ...options, replace: true } : options);
  }, []);
  return (
    <Path value={shownPath}>
      <Query value={isPressed ? drawn.search : search}>
        {isOnItsWay && <div className={css.bar} role="progressbar" aria-label="Loading the page" />}
        <Leaving value={isOnItsWay}>
          <Router hook={usePath} searchHook={useQueryString} aroundNav={aroundNav}>
            {children}
          </Router>
        </Leaving>
      </Query>
    </Path>
  );
}
