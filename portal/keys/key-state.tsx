import type { Key } from '../api/queries.ts';
import { Below } from '../components/card.tsx';
import { State } from '../components/state.tsx';
import { LastFour } from './key-name.tsx';
import { isActive, stateOf } from './key-view.ts';

interface KeyStateProps {
  readonly of: Key;
  /** Its successor is one of them. */
  readonly keys: readonly Key[];
  readonly nowMs: number;
}

/** Whether a key works, for how long, and which one comes after it. */
export function KeyState({ of: key, keys, nowMs }: KeyStateProps) {
  const [kind, words] = stateOf(key, nowMs);
  // In a narrow list the cap has no column.
  const isUsedUp = isActive(key, nowMs) && key.unitsLimit !== null && (key.unitsUsed ?? 0) >= key.unitsLimit;
  const successor = keys.find(({ keyId }) => keyId === key.replacedBy);
  return (
    <div>
      <State kind={kind}>{words}</State>
      {isUsedUp && <Below>cap used up</Below>}
      {successor && (
        <Below>
          new key: <LastFour of={successor.lastFour} />
        </Below>
      )}
    </div>
  );
}
