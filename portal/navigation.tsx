import {
  createContext,
  use,
  useCallback,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useState,
  type ReactNode,
} from 'react';
import { Router, type AroundNavHandler } from 'wouter';
import { navigate, useBrowserLocation, useSearch } from 'wouter/use-browser-location';
import css from './navigation.module.css';

const Path = createContext('');
const Query = createContext('');
const Leaving = createContext(false);

const usePath = (): [string, typeof navigate] => [use(Path), navigate];
const useQueryString = (): string => use(Query);

/** Whether another page is on its way, and this one is still shown. */
export const useIsLeaving = (): boolean => use(Leaving);

/**
 * The address of the shown page. After a press it follows the address of the browser as soon as the next page is drawn,
 * and the browser stays free meanwhile: the press is answered at once, whatever the next page costs. Back and Forward
 * are drawn at once, since the browser then restores the scroll position.
 */
export function Navigation({ children }: { readonly children: ReactNode }) {
  const [isPressed, setPressed] = useState(false);
  // Before the router hears of it.
  useEffect(() => {
    const step = (): void => setPressed(false);
    addEventListener('popstate', step, { capture: true });
    return () => removeEventListener('popstate', step, { capture: true });
  }, []);
  const [path] = useBrowserLocation();
  const search = useSearch();
  const [drawnPath, drawnSearch] = [useDeferredValue(path), useDeferredValue(search)];
  const isOnItsWay = isPressed && (path !== drawnPath || search !== drawnSearch);
  const shownPath = isPressed ? drawnPath : path;
  useLayoutEffect(() => {
    if (isPressed && location.hash === '') scrollTo(0, 0);
    // A page begins at its top, whatever was pressed before.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [shownPath]);
  const aroundNav = useCallback<AroundNavHandler>((go, to, options) => {
    setPressed(true);
    // A second press of the same link is no second step, as in a page that the browser fetches.
    const isPresent = to === location.pathname + location.search + location.hash;
    go(to, isPresent ? { ...options, replace: true } : options);
  }, []);
  return (
    <Path value={shownPath}>
      <Query value={isPressed ? drawnSearch : search}>
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
