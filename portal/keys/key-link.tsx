import { Link } from 'wouter';
import type { Key } from '../api/queries.ts';
import { pages } from '../routes.ts';

interface KeyLinkProps {
  readonly accountId: string;
  readonly projectId: string;
  readonly of: Key;
  /** Whether it is the key of the present page. */
  readonly isHere: boolean;
}

/** The shown characters of a key, as a link to its page. */
export function KeyLink({ accountId, projectId, of: { keyId, mode, lastFour }, isHere }: KeyLinkProps) {
  const text = (
    <code translate="no">
      svc_{mode}_…{lastFour}
    </code>
  );
  if (isHere) return <span>{text} (this one)</span>;
  return (
    <span>
      <Link href={pages.key(accountId, projectId, keyId)}>{text}</Link>
    </span>
  );
}
