import type { Key } from '../api/schemas.ts';
import { Time } from '../components/time.tsx';

/** The last use of a key, before somebody ends it. */
export const LastUse = ({ of: { lastUsed, mode, lastFour } }: { readonly of: Key }) => (
  <p>
    <code translate="no">
      svc_{mode}_…{lastFour}
    </code>{' '}
    {lastUsed === null ? (
      'has not been used yet.'
    ) : (
      <>
        was last used <Time of={lastUsed} as="ago" />.
      </>
    )}
  </p>
);
