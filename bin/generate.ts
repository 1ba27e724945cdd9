/** `npm run generate`: makes what is generated from the contracts, where it is absent or stale. */
import { makeGenerated } from '../lib/generated.ts';

await makeGenerated();
