/** `npm run generate`: generates modules from the gateway's contract, where they are absent or stale. */
import { makeGenerated } from '../portal/build/generated.ts';

await makeGenerated();
