import type { Key } from '../api/schemas.ts';
import { Time } from '../components/time.tsx';
import { ShownKey } from './key-name.tsx';

/** The last use of a key, before somebody ends it. */
export const LastUse = ({ of: key }: { readonly of: Key }) => (
  <p>
    <ShownKey of={key} />{' '}
    {key.lastUsed === null ? (
      'has not been used yet.'
    ) : (
      <>
        was last used <Time of={key.lastUsed} as="ago" />.
      </>
    )}
  </p>
);
