import { createHash } from 'node:crypto';

/** Who the first person of a local portal is; the form is filled with it. */
export const DEMO_EMAIL = 'demo@example.com';
/** Name of this provider in identities, whatever its port: a restart makes nobody a new person. */
export const LOCAL_ISSUER = 'local';

/** What the provider tells of a person. */
export interface LocalPerson {
  /** Made from the address: whoever signs in with it again is the same person. */
  readonly subject: string;
  readonly email: string;
  readonly name: string;
}

/** Longest address (RFC 5321, section 4.5.3.1). */
const MAX_EMAIL_CHARACTERS = 254;

/** The person with an address; undefined: that is none. */
export function personOf(text: string): LocalPerson | undefined {
  const email = text.trim();
  if (email.length > MAX_EMAIL_CHARACTERS || !/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email)) return undefined;
  return personWith(email);
}

const personWith = (email: string): LocalPerson => ({
  subject: createHash('sha256').update(email.toLowerCase()).digest('base64url'),
  email,
  name: email.slice(0, email.lastIndexOf('@')),
});

/** The person of {@link DEMO_EMAIL}. */
export const DEMO_PERSON = personWith(DEMO_EMAIL);
