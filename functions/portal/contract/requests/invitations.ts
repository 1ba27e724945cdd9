import * as v from 'valibot';
import { AnyCursor, type Continued, Limited } from './lists.ts';

/** The query of the list. */
export const invitationQuery = (cursor: Continued = AnyCursor) => v.intersect([Limited, cursor]);
