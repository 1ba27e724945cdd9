import { MS_PER_DAY } from '../../functions/shared/rules/clock.ts';

/** Days of requests before now. */
export const DAYS = 29;
/** How long before now the demo account was made. */
export const DEMO_AGE_MS = (DAYS + 1) * MS_PER_DAY;
