import type { Identity } from '../../../functions/accounts/people/identities.ts';
import type { OpenIdProvider } from '../../../functions/portal/provider/provider.ts';

/** A person whom the provider knows. */
export interface Stranger {
  readonly subject: string;
  readonly profile: { readonly email: string; readonly emailVerified: boolean; readonly name: string };
}

/** The same with what a provider may leave out. */
export interface Claimed {
  readonly subject: string;
  readonly profile: Pick<Identity, 'email' | 'emailVerified' | 'name'>;
}

/** Where {@link trustingProvider} sends browsers. Nothing is there. */
export const TRUSTING = 'https://provider.example/';

/**
 * An OpenID provider for tests that are not about the provider: it signs in the person that the code names. A sign-in
 * takes a third of the time of one at a real provider.
 */
export const trustingProvider: OpenIdProvider = {
  authorizationUrl: (back, { state }) =>
    Promise.resolve(new URL(`${TRUSTING}?${new URLSearchParams({ back, state }).toString()}`)),
  authenticate: ({ searchParams }) => {
    const named = Buffer.from(searchParams.get('code') ?? '', 'base64url').toString();
    const { subject, profile } = JSON.parse(named) as Claimed;
    return Promise.resolve({
      identity: { issuer: 'tests', subject, ...profile } satisfies Identity,
      idToken: undefined,
    });
  },
  endSessionUrl: () => Promise.resolve(undefined),
};

/** Where {@link trustingProvider} sends a browser back, which has come to it at a location, as this person. */
export function ledBack(location: string, { subject, profile }: Claimed): URL {
  const { searchParams } = new URL(location);
  const url = new URL(searchParams.get('back') ?? '');
  const code = Buffer.from(JSON.stringify({ subject, profile })).toString('base64url');
  url.search = new URLSearchParams({ state: searchParams.get('state') ?? '', code }).toString();
  return url;
}
