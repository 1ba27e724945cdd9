/** Replaces functions/shared/store/client.ts: the query of its address names the caller (roles.mjs). */
import { createClient as create } from '../../../functions/shared/store/client.ts';
import { CALLERS } from './callers.ts';

export * from '../../../functions/shared/store/client.ts';

const credentials = CALLERS[new URL(import.meta.url).searchParams.get('name')];

export const createClient = (overrides) => create({ ...overrides, credentials });
