import { Link } from 'wouter';
import css from './segments.module.css';

interface SegmentsProps {
  /** What is chosen: `Range`. */
  readonly label: string;
  /** Each with its word and its address. */
  readonly segments: readonly (readonly [value: string, word: string, address: string])[];
  readonly value: string;
}

/** One of few views of a page, each with an address of its own. */
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
