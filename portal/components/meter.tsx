import { formatCount } from '../text/format.ts';
import { paceOf, type Quota } from '../text/quota.ts';
import css from './meter.module.css';
import { useNow } from './use-now.ts';

/** From this share on a quota counts as nearly used up. */
const NEAR = 0.9;

/** How much of a quota is used, in words and as a bar. */
export function QuotaMeter({ quota }: { readonly quota: Quota }) {
  const { quotaLimit, quotaUsed } = quota;
  const pace = paceOf(quota, useNow());
  if (quotaLimit === null) return <p>{formatCount(quotaUsed)} units, no limit</p>;
  const share = quotaLimit === 0 ? 1 : Math.min(1, quotaUsed / quotaLimit);
  return (
    <div>
      <p className={css.words}>
        <span>
          {formatCount(quotaUsed)} of {formatCount(quotaLimit)} units
        </span>
        <span className={css.pace}>{pace}</span>
      </p>
      <div
        className={[css.meter, share >= NEAR && css.near].filter(Boolean).join(' ')}
        role="meter"
        aria-label="Quota used"
        aria-valuemin={0}
        aria-valuemax={quotaLimit}
        aria-valuenow={Math.min(quotaUsed, quotaLimit)}
        aria-valuetext={`${quotaUsed} of ${quotaLimit} units`}
      >
        <i className={css.bar} style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}
