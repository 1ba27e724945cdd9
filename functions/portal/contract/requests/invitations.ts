import * as v from 'valibot';
import { type Continued, Limited } from './lists.ts';

/** The query of the list. */
export const invitationQuery = (cursor: Continued) => v.intersect([Limited, cursor]);
