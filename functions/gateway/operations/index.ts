import type { MeteredOperation } from '../../shared/request/operation.ts';
import { ping } from './ping.ts';

/** Every metered operation of the gateway. */
export const OPERATIONS: readonly MeteredOperation[] = [ping];
