import { Mark } from '../requests/outcome.tsx';
import type { PingResult } from './simulating.tsx';
import css from '../requests/outcome.module.css';

/** The charge, with the colour of the outcome. */
export const Charge = ({ of: { outcome, words } }: { readonly of: PingResult }) => (
  <span className={css.outcome}>
    {outcome !== undefined && <Mark of={outcome} />}
    {words}
  </span>
);
