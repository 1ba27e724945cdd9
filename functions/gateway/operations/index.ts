import type { MeteredOperation, Operation } from '../../shared/request/operation.ts';
import { ping } from './ping.ts';
import { HEALTH_PATH, type Route } from '../../shared/names.ts';

/** Every metered operation of the gateway. */
export const OPERATIONS: readonly MeteredOperation[] = [ping];

/** The routes of an API: the health check's, and those of these metered operations. */
export const routesOf = (operations: readonly Pick<Operation, 'method' | 'path'>[]): readonly Route[] => [
  { method: 'GET', path: HEALTH_PATH, function: 'health' },
  // Monitors use it: the same answer without its body.
  { method: 'HEAD', path: HEALTH_PATH, function: 'health' },
  { method: 'OPTIONS', path: HEALTH_PATH, function: 'health' },
  ...operations.flatMap(({ method, path }): Route[] => [
    { method, path, function: 'metered' },
    { method: 'OPTIONS', path, function: 'metered' },
  ]),
];

/** Every route of the deployed API. The stack and the development server both build theirs from this table. */
export const ROUTES = routesOf(OPERATIONS);
