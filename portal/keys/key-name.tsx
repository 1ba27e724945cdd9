import type { Key } from '../api/schemas.ts';
import { Muted } from '../components/card.tsx';
import { useSession } from '../session.ts';
import css from './key-name.module.css';

type Named = Pick<Key, 'name' | 'lastFour'>;

interface KeyNameProps {
  readonly of: Named;
  /** On one line, cut if there is no room. */
  readonly isCut?: boolean;
}

/** The name of a key, which a rotation keeps, and its last four characters, which distinguish keys of one name. */
export const KeyName = ({ of: { name, lastFour }, isCut = false }: KeyNameProps) => (
  <span className={isCut ? css.cut : css.whole}>
    {name !== null && (
      <bdi className={css.name} title={name}>
        {name}
      </bdi>
    )}{' '}
    <LastFour of={lastFour} />
  </span>
);

/** The last characters of a key, instead of the key. */
export const LastFour = ({ of: lastFour }: { readonly of: string }) => (
  <Muted>
    <code className={css.tail} translate="no">
      …{lastFour}
    </code>
  </Muted>
);

/** The shown characters of a key, instead of the key; its prefix where all keys of the stage have one. */
export function ShownKey({ of: { mode, lastFour } }: { readonly of: Pick<Key, 'mode' | 'lastFour'> }) {
  const { keyPrefixes } = useSession();
  return (
    <code translate="no">
      {keyPrefixes.length === 1 && `${keyPrefixes[0]}_${mode}_`}…{lastFour}
    </code>
  );
}
