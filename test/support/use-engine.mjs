/**
 * Runs before each test file of a project with an engine: the first file of the run starts the engine and the policies.
 */
import { shared } from './shared/client.ts';

const [{ endpoint, direct }, policies] = await Promise.all([shared(ENGINE), shared('policies')]);
Object.assign(process.env, { [`TEST_ENDPOINT_${ENGINE}`]: endpoint, [`TEST_DIRECT_${ENGINE}`]: direct, ...policies });
