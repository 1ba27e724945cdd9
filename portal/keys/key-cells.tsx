import { Link } from 'wouter';
import type { Key, UsageEvent } from '../api/schemas.ts';
import { Below, Muted } from '../components/card.tsx';
import { Meter } from '../components/meter.tsx';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { Outcome } from '../requests/outcome.tsx';
import { counted, formatCount } from '../text/format.ts';
import { programOf } from '../text/names.ts';
import { shownCap } from './cap.ts';
import css from './key-cells.module.css';
import { LastFour } from './key-name.tsx';
import { isActive, stateOf } from './key-view.ts';
import { LastUsed } from './last-use.tsx';
import type { KeyUse } from './use-key-use.ts';

/** Units of the drawing: a day, its bar, the height, and the least height of a day with use. */
const [DAY, BAR, HEIGHT, LEAST] = [12, 9, 24, 2];

/** The units of a key in the last seven days, a bar for each, by the most of them. */
export function Week({ of: days }: { readonly of: KeyUse['week'] }) {
  if (!days) return <div className={css.week} />;
  const most = Math.max(...days);
  const sum = days.reduce((all, units) => all + units, 0);
  return (
    <svg
      className={css.week}
      viewBox={`0 0 ${days.length * DAY} ${HEIGHT}`}
      role="img"
      aria-label={`${counted(sum, 'unit')} in the last 7 days: ${days.map(formatCount).join(', ')}`}
    >
      {days.map((units, index) => {
        const height = units === 0 ? 1 : Math.max(LEAST, (units / most) * HEIGHT);
        return (
          <rect
            key={index}
            className={units === 0 ? css.none : css.day}
            x={index * DAY}
            y={HEIGHT - height}
            width={BAR}
            height={height}
          />
        );
      })}
    </svg>
  );
}

interface UnitsProps {
  readonly of: Key;
  readonly use: KeyUse;
  /** It spends from a budget that is shown above the keys of it. */
  readonly isShared: boolean;
  readonly nowMs: number;
}

/** The units of a key in the period; of one with a cap of its own the counter, and how much of the cap that is. */
export function Units({ of: key, use: { units, isSoFar }, isShared, nowMs }: UnitsProps) {
  const cap = isShared ? null : shownCap(key, nowMs);
  if (!cap) {
    const words = `${units === undefined ? '…' : formatCount(units)}${isSoFar ? ' so far' : ''}`;
    return <div className={css.units}>{words}</div>;
  }
  return (
    <div className={css.units} title={cap.sentence}>
      {cap.over !== null ? (
        cap.over === 'stopped' ? (
          'stopped by its cap of 0'
        ) : (
          `cap of ${cap.words} used up`
        )
      ) : (
        <>
          {formatCount(cap.used)} <Muted>of {cap.words}</Muted>
        </>
      )}
      <Meter label="Cap used" value={cap.used} max={cap.limit} words={cap.sentence} />
    </div>
  );
}

interface BudgetProps {
  /** One of its keys. */
  readonly of: Key;
  readonly count: number;
  readonly nowMs: number;
}

/** A budget above its keys. */
export function Budget({ of: key, count, nowMs }: BudgetProps) {
  const cap = shownCap(key, nowMs);
  return (
    cap && (
      <div className={css.budget}>
        <span>
          {formatCount(count)} keys share {formatCount(cap.used)} of {formatCount(cap.limit)} units
          {cap.over !== null && `: ${cap.over}`}
        </span>
        <Meter label="Budget used" value={cap.used} max={cap.limit} words={cap.sentence} />
      </div>
    )
  );
}

interface LastAnswerProps {
  readonly of: Key;
  /** Its newest request; undefined: it has none among those that were read. */
  readonly newest: UsageEvent | undefined;
  /** The address of the newest request. */
  readonly addressOf: (event: UsageEvent) => string;
}

/** How the newest request of a key ended, when, and who sent it. Of an older one only the time is known. */
export function LastAnswer({ of: key, newest, addressOf }: LastAnswerProps) {
  if (!newest || newest.occurredAt < (key.lastUsed ?? '')) {
    return (
      <div className={css.answer}>
        <div>
          <LastUsed of={key} />
        </div>
      </div>
    );
  }
  const { occurredAt, userAgent } = newest;
  const isUse = key.lastUsed !== null && occurredAt < minuteAfter(key.lastUsed);
  return (
    <div className={css.answer}>
      <Link href={addressOf(newest)}>
        <Outcome of={newest} />
      </Link>
      <div className={css.sent}>
        {isUse ? <LastUsed of={key} /> : <Time of={occurredAt} as="ago" />}
        {userAgent !== null && (
          <span className={css.sender} title={userAgent}>
            by <bdi>{programOf(userAgent)}</bdi>
          </span>
        )}
      </div>
    </div>
  );
}

/** The last use is known to the minute. */
const minuteAfter = (time: string): string => new Date(Date.parse(time) + 60_000).toISOString();

interface EndProps {
  readonly of: Key;
  /** Its successor is one of them. */
  readonly keys: readonly Key[];
  readonly nowMs: number;
}

/** Until when a key works, what is the matter with it, and which one comes after it. */
export function End({ of: key, keys, nowMs }: EndProps) {
  const [kind, words] = stateOf(key, nowMs);
  const successor = keys.find(({ keyId }) => keyId === key.replacedBy);
  const end = key.expiresAt === null ? <Muted>never</Muted> : <Time of={key.expiresAt} as="day" />;
  return (
    <div>
      {kind === 'good' ? end : <State kind={kind}>{words}</State>}
      {key.paused && isActive(key, nowMs) && key.expiresAt !== null && <Below>ends {end}</Below>}
      {successor && (
        <Below>
          new key: <LastFour of={successor.lastFour} />
        </Below>
      )}
    </div>
  );
}
