import type { Identity } from '../../../functions/accounts/identities.ts';
import type { OpenIdProvider } from '../../../functions/portal/sign-in/provider.ts';
import type { Stranger } from './scene.ts';

/** An OpenID provider for tests of the store: it signs in the person that the code names. */
export const trustingProvider: OpenIdProvider = {
  authorizationUrl: (_redirectUri, { state }) => Promise.resolve(new URL(`https://provider.example/?state=${state}`)),
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
