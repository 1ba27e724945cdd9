import { createContext, use, useDeferredValue, type ReactNode } from 'react';
import { Router } from 'wouter';
import { navigate, useBrowserLocation, useSearch } from 'wouter/use-browser-location';
import css from './navigation.module.css';

const Path = createContext('');
const Query = createContext('');

const usePath = (): [string, typeof navigate] => [use(Path), navigate];
const useQueryString = (): string => use(Query);

/**
 * The address of the shown page. It follows the address of the browser as soon as the next page is drawn, and the browser
 * stays free meanwhile: a press is answered at once, whatever the next page costs. The router alone would draw it first.
 */
export function Navigation({ children }: { readonly children: ReactNode }) {
  const [path] = useBrowserLocation();
  const search = useSearch();
  const shownPath = useDeferredValue(path);
  const shownSearch = useDeferredValue(search);
  const isOnItsWay = path !== shownPath || search !== shownSearch;
  return (
    <Path value={shownPath}>
      <Query value={shownSearch}>
        {isOnItsWay && <div className={css.bar} role="progressbar" aria-label="Loading the page" />}
        <Router hook={usePath} searchHook={useQueryString}>
          {children}
        </Router>
      </Query>
    </Path>
  );
}
