import { Link } from 'wouter';
import css from './segments.module.css';

interface SegmentsProps {
  /** The name of the choice: `Range`. */
  readonly label: string;
  /** Each with its text and its address. */
  readonly segments: readonly (readonly [value: string, word: string, address: string])[];
  readonly value: string;
}

/** A choice of views of a page, each with its own address. */
export const Segments = ({ label, segments, value }: SegmentsProps) => (
  <nav className={css.segments} aria-label={label}>
    {segments.map(([segment, word, address]) => (
      <Link
        key={segment}
        href={address}
        className={css.segment ?? ''}
        aria-current={segment === value ? 'true' : undefined}
      >
        {word}
      </Link>
    ))}
  </nav>
);
