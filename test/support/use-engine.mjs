/** Before each test file of a project that runs on an engine: both are made by the first file of the run. */
import { shared } from './shared/client.ts';

const [{ endpoint, direct }, policies] = await Promise.all([shared(ENGINE), shared('policies')]);
Object.assign(process.env, { [`TEST_ENDPOINT_${ENGINE}`]: endpoint, [`TEST_DIRECT_${ENGINE}`]: direct, ...policies });
