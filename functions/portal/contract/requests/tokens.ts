import * as v from 'valibot';
import { TOKEN_SCOPES } from '../../../shared/rules/choices.ts';
import { integer, Name } from './fields.ts';
import { FORMS } from './forms.ts';

const MAX_LIFETIME_DAYS = 90;
const SCOPES_RULE = `Give one or more of ${TOKEN_SCOPES.join(', ')}, each once.`;
const PROJECT_RULE = 'Give the id of a project, or nothing for all.';

/** A new token. The scopes are in the order of `TOKEN_SCOPES`, whatever the order of the input. */
export const NewToken = v.object({
  name: Name,
  scopes: v.pipe(
    v.array(v.picklist(TOKEN_SCOPES, SCOPES_RULE), SCOPES_RULE),
    v.minLength(1, SCOPES_RULE),
    v.check((scopes) => new Set(scopes).size === scopes.length, SCOPES_RULE),
    v.transform((scopes) => TOKEN_SCOPES.filter((scope) => scopes.includes(scope))),
  ),
  expiresInDays: integer(1, MAX_LIFETIME_DAYS),
  projectId: v.optional(v.pipe(v.string(PROJECT_RULE), v.regex(FORMS.projectId, PROJECT_RULE))),
});
export type NewToken = v.InferInput<typeof NewToken>;
