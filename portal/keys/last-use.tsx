import type { Key } from '../api/schemas.ts';
import { Muted } from '../components/card.tsx';
import { Time } from '../components/time.tsx';
import { ShownKey } from './key-name.tsx';

/**
 * The last use of a key, to the minute: the one answer of its list, its page and its dialogs. A request that was refused
 * since, as of a paused key, is no use.
 */
export const LastUsed = ({ of: { lastUsed } }: { readonly of: Pick<Key, 'lastUsed'> }) =>
  lastUsed === null ? <Muted>not yet</Muted> : <Time of={lastUsed} as="ago" />;

/** The same in a sentence, before somebody changes what the key may. */
export const LastUse = ({ of: key }: { readonly of: Key }) => (
  <p>
    <ShownKey of={key} />{' '}
    {key.lastUsed === null ? (
      'has not been used yet.'
    ) : (
      <>
        was last used <LastUsed of={key} />.
      </>
    )}
  </p>
);
