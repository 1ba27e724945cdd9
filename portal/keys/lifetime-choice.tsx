import { Choice } from '../components/fields.tsx';
import { useNow } from '../components/use-now.ts';
import { formatDay } from '../text/format.ts';

const DAY_MS = 86_400_000;

/** The offered lifetimes of a key, in days. */
export type Lifetime = '30' | '90' | '365' | 'never';

/** When a key with this lifetime expires; null: never. */
export const expiryOf = (lifetime: Lifetime, nowMs: number): string | null =>
  lifetime === 'never' ? null : new Date(nowMs + Number(lifetime) * DAY_MS).toISOString();

interface LifetimeChoiceProps {
  readonly label: string;
  /** The member of the request, for its error. */
  readonly name: string;
  readonly value: Lifetime;
  readonly onChange: (lifetime: Lifetime) => void;
}

/** The choice of a lifetime, with the day on which it ends. */
export function LifetimeChoice({ value, ...props }: LifetimeChoiceProps) {
  const nowMs = useNow();
  const until = expiryOf(value, nowMs);
  return (
    <Choice<Lifetime>
      {...props}
      value={value}
      options={[
        ['30', '30 days'],
        ['90', '90 days'],
        ['365', '1 year'],
        ['never', 'Never'],
      ]}
      hint={until === null ? 'It works until you revoke it.' : `On ${formatDay(until, nowMs)}.`}
      isInLine
    />
  );
}
