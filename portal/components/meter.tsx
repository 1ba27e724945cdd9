import { formatCount } from '../text/format.ts';
import { paceOf, percentUsed, type Quota } from '../text/quota.ts';
import { State } from './state.tsx';
import css from './meter.module.css';
import sharedCss from '../styles/shared.module.css';
import { useNow } from './use-now.ts';

/** From this share on a quota is nearly used up. */
const NEAR = 0.8;

interface MeterProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  /** The same as text. */
  readonly words: string;
  /** Without warning colours near its end, such as for a time. */
  readonly isPlain?: boolean;
}

/** A part of a whole, as a bar. If the whole is 0, the bar is full. */
export function Meter({ label, value, max, words, isPlain = false }: MeterProps) {
  const share = max === 0 ? 1 : Math.min(1, Math.max(0, value / max));
  const worry = !isPlain && (share === 1 ? css.full : share >= NEAR && css.near);
  return (
    <div
      className={[css.meter, worry].filter(Boolean).join(' ')}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(value, max)}
      aria-valuetext={words}
    >
      <i className={css.bar} style={{ width: `${share * 100}%` }} />
    </div>
  );
}

/** Whether little or nothing is left of a quota. */
export const isNearlyUsedUp = ({ quotaLimit, quotaUsed }: Pick<Quota, 'quotaLimit' | 'quotaUsed'>): boolean =>
  quotaLimit !== null && quotaUsed >= quotaLimit * NEAR;

interface QuotaMeterProps {
  readonly quota: Quota;
  /** It is the main figure of the card. */
  readonly isMain?: boolean;
}

/** The used part of a quota, in words and as a bar. */
export function QuotaMeter({ quota, isMain = false }: QuotaMeterProps) {
  const { quotaLimit, quotaUsed } = quota;
  const used = isMain ? (
    <span className={sharedCss.figure}>{formatCount(quotaUsed)}</span>
  ) : (
    <b>{formatCount(quotaUsed)}</b>
  );
  if (quotaLimit === null) return <p className={css.words}>{used} units, no limit</p>;
  return (
    <div>
      <div className={css.words}>
        <p>
          {used} <span className={isMain ? css.rest : undefined}>of {formatCount(quotaLimit)} units</span>
        </p>
        {isMain ? <Pace of={quota} /> : <span className={css.rest}>{percentUsed(quota)}</span>}
      </div>
      <Meter label="Quota used" value={quotaUsed} max={quotaLimit} words={`${quotaUsed} of ${quotaLimit} units`} />
    </div>
  );
}

/** How long a quota lasts at the present rate. Nothing while there are too few data. */
export function Pace({ of: quota }: { readonly of: Quota }) {
  const pace = paceOf(quota, useNow());
  if (pace === '') return null;
  const kind = quota.quotaUsed >= (quota.quotaLimit ?? Infinity) ? 'bad' : pace.startsWith('Used up') ? 'warn' : 'good';
  return <State kind={kind}>{pace}</State>;
}
