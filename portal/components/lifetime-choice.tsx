import { DAY_MS, formatDay } from '../text/format.ts';
import { Choice } from './fields.tsx';
import { useNow } from './use-now.ts';

/** When what has this lifetime in days expires; null: never. */
export const expiryOf = (lifetime: string, nowMs: number): string | null =>
  lifetime === 'never' ? null : new Date(nowMs + Number(lifetime) * DAY_MS).toISOString();

interface LifetimeChoiceProps<Lifetime extends string> {
  readonly label: string;
  /** The member of the request, for its error. */
  readonly name: string;
  readonly value: Lifetime;
  readonly onChange: (lifetime: Lifetime) => void;
  /** The offered lifetimes in days, or `never`, each with its text. */
  readonly options: readonly (readonly [lifetime: Lifetime, words: string])[];
}

/** The choice of a lifetime, with the day on which it ends. */
export function LifetimeChoice<Lifetime extends string>(props: LifetimeChoiceProps<Lifetime>) {
  const nowMs = useNow();
  const until = expiryOf(props.value, nowMs);
  const hint = until === null ? 'It works until you revoke it.' : `On ${formatDay(until, nowMs)}.`;
  return <Choice<Lifetime> {...props} hint={hint} isInLine />;
}
