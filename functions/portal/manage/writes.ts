import { declares } from '../declares.ts';

/** What every read of a token writes: the count of its reads, and the time of its last use. */
export const READ = declares({ writes: ['USED/READS', 'TOKEN/TOKEN'] });
