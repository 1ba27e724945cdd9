import type { Identity } from '../../../functions/accounts/people/identities.ts';
import type { OpenIdProvider } from '../../../functions/portal/sign-in/provider.ts';

/** A person whom the provider knows. */
export interface Stranger {
  readonly subject: string;
  readonly profile: { readonly email: string; readonly emailVerified: boolean; readonly name: string };
}

/** Where {@link trustingProvider} sends browsers. Nothing is there. */
export const TRUSTING = 'https://provider.example/';

/**
 * An OpenID provider for tests that are not about the provider: it signs in the person that the code names. A sign-in
 * takes a third of the time of one at a real provider.
 */
export const trustingProvider: OpenIdProvider = {
  authorizationUrl: (_redirectUri, { state }) => Promise.resolve(new URL(`${TRUSTING}?state=${state}`)),
  authenticate: ({ searchParams }) => {
    const named = Buffer.from(searchParams.get('code') ?? '', 'base64url').toString();
    const { subject, profile } = JSON.parse(named) as Stranger;
    return Promise.resolve({
      identity: { issuer: 'tests', subject, ...profile } satisfies Identity,
      idToken: undefined,
    });
  },
  endSessionUrl: () => Promise.resolve(undefined),
};

/** The code with which {@link trustingProvider} signs in a person. */
export const codeOf = ({ subject, profile }: Stranger): string =>
  Buffer.from(JSON.stringify({ subject, profile })).toString('base64url');
