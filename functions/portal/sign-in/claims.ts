import type { Identity } from '../../accounts/people/identities.ts';
import { isPlainAddress } from '../../shared/rules/address.ts';
import { isVisible, MAX_NAME_CHARACTERS } from '../../shared/rules/http/validation.ts';

/** Longest address that is kept (RFC 5321, section 4.5.3.1). */
const MAX_EMAIL_CHARACTERS = 254;

/** The issuer's name, and how far it is trusted. */
export interface IssuerTrust {
  /** Name of the issuer in identities. A change makes everybody a new person. */
  readonly issuerLabel: string;
  /** Accepts the addresses of a provider that does not say whether they are verified. */
  readonly trustEmail: boolean;
}

/** The claims of an ID token that are used (OpenID Connect). */
export interface Claims {
  readonly sub: string;
  readonly email?: unknown;
  readonly email_verified?: unknown;
  readonly name?: unknown;
}

/**
 * The person whom an ID token names. An address is verified when the token says so, as a boolean, or when it says
 * nothing and the stage trusts the issuer; and only in the exact form of the token. An address that is shown in another
 * form is not verified: that form may be somebody else's address.
 */
export function readIdentity(
  { sub, email, email_verified, name }: Claims,
  { issuerLabel, trustEmail }: IssuerTrust,
): Identity {
  const address = oneLine(email);
  const known = address !== undefined && address.length <= MAX_EMAIL_CHARACTERS;
  const isOwn = known && address === email && isPlainAddress(address);
  return {
    issuer: issuerLabel,
    subject: sub,
    email: known ? address : undefined,
    emailVerified: isOwn && (email_verified === undefined ? trustEmail : email_verified === true),
    name:
      Array.from(oneLine(name) ?? '')
        .slice(0, MAX_NAME_CHARACTERS)
        .join('')
        .trim() || undefined,
  };
}

/** A claim as one line of text; undefined: it is no text, or has no visible character. */
function oneLine(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined;
  const line = claim
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  return isVisible(line) ? line : undefined;
}
