import type { Key } from '../api/queries.ts';
import { Muted } from '../components/card.tsx';
import { Meter } from '../components/meter.tsx';
import { formatCount } from '../text/format.ts';

/** The used part of a key's cap, in words and as a bar. */
export function CapMeter({ of: { unitsLimit, unitsUsed } }: { readonly of: Key }) {
  if (unitsLimit === null) return <Muted>no cap</Muted>;
  const used = unitsUsed ?? 0;
  return (
    <div>
      {formatCount(used)} <Muted>of {formatCount(unitsLimit)}</Muted>
      <Meter label="Cap used" value={used} max={unitsLimit} words={`${used} of ${unitsLimit} units`} />
    </div>
  );
}
