import { declares } from '../declares.ts';

/** What every read of a token writes: the count of its reads. */
export const READ = declares({ writes: ['USED/READS'] });
