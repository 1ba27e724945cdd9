import { Link } from 'wouter';
import { pages } from '../routes.ts';

/** Why a request may be missing in a list, and how to find out. */
export const NotListed = () => (
  <span>
    Not here? Search for the requestId of its answer. A request with an unknown key or to a wrong path is in no list:{' '}
    <Link href={pages.notListed}>what is not listed, and who finds it</Link>.
  </span>
);
