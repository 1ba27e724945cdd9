import type { Key } from '../api/queries.ts';
import { Muted } from '../components/card.tsx';
import css from './key-name.module.css';

type Named = Pick<Key, 'name' | 'lastFour'>;

interface KeyNameProps {
  readonly of: Named;
  /** On one line, cut where there is no room. */
  readonly isCut?: boolean;
}

/** A key as people know it: its name, which a rotation keeps, and its last four characters, which tell two of a name apart. */
export const KeyName = ({ of: { name, lastFour }, isCut = false }: KeyNameProps) => (
  <span className={isCut ? css.cut : undefined}>
    {name !== null && (
      <bdi className={css.name} title={name}>
        {name}
      </bdi>
    )}{' '}
    <LastFour of={lastFour} />
  </span>
);

/** The end of a key, in place of the key. */
export const LastFour = ({ of: lastFour }: { readonly of: string }) => (
  <Muted>
    <code translate="no">…{lastFour}</code>
  </Muted>
);
