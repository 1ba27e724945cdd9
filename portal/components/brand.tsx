import css from './brand.module.css';

/** The logo: one unit between two posts. */
export const Mark = () => (
  <svg viewBox="0 0 20 20" aria-hidden="true" className={css.mark}>
    <rect className={css.post} x="1" y="1" width="3.5" height="18" rx="1.2" />
    <rect className={css.post} x="15.5" y="1" width="3.5" height="18" rx="1.2" />
    <circle className={css.unit} cx="10" cy="10" r="3.2" />
  </svg>
);

/** The first letter of a name, in a tile. */
export const Tile = ({ of: name }: { readonly of: string }) => (
  <span className={css.tile} aria-hidden="true">
    {Array.from(name.trim().toUpperCase())[0]}
  </span>
);

interface AvatarProps {
  readonly of: string;
  /** The person is invited and has not joined yet. */
  readonly isWaiting?: boolean;
}

/** The first letters of a person. */
export const Avatar = ({ of: name, isWaiting = false }: AvatarProps) => (
  <span className={[css.avatar, isWaiting && css.waiting].filter(Boolean).join(' ')} aria-hidden="true">
    {Array.from(name.trim().toUpperCase()).slice(0, 2).join('')}
  </span>
);
