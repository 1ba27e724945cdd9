import { ERRORS } from '../gateway/errors.ts';
import type { GatewayError } from '../gateway/types.ts';

/** The meaning of a code of the gateway, and what to do about it. Undefined: the code is newer than this page. */
export const explanationOf = (code: string): GatewayError | undefined => ERRORS.find((error) => error.code === code);
