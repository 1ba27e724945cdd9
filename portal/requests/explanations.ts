import { ERRORS } from '../gateway/errors.ts';
import type { GatewayError } from '../gateway/types.ts';

/** What a code of the gateway means, and what to do about it; undefined for one that is newer than this page. */
export const explanationOf = (code: string): GatewayError | undefined => ERRORS.find((error) => error.code === code);
