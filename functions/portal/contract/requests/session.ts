import * as v from 'valibot';

/** The end of this session, or of all sessions of the person, in every browser. */
export const SignOut = v.object({ everywhere: v.optional(v.boolean('everywhere is true or false.'), false) });
