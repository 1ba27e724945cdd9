import { chainDependencies } from './runtime.ts';
import { healthChain } from './health-chain.ts';

/** Lambda entry point: `GET /api/v1/health`, and every request that no route matches. */
export const handler = healthChain(chainDependencies());
