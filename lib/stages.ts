import type { GivenSettings } from './setting-table.ts';

/**
 * Each team's own stages, by name. A value here is reviewed, and every deployment of the stage has it; `-c name=value`
 * overrides it for a single deployment. A stage without an entry has the defaults.
 *
 *     export const STAGES: Readonly<Record<string, GivenSettings>> = {
 *       prod: {
 *         production: true,
 *         account: '123456789012',
 *         region: 'eu-central-1',
 *         concurrencyQuota: 1_000,
 *         alarmEmail: 'oncall@example.com',
 *       },
 *     };
 */
export const STAGES: Readonly<Record<string, GivenSettings>> = {};
