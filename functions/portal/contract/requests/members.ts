import * as v from 'valibot';
import { Email, Role } from './fields.ts';

/** An invitation to an account. */
export const Invite = v.object({ email: Email, role: Role });
/** Another role of a member. */
export const RoleChange = v.object({ role: Role });
