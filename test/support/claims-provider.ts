import { readIdentity } from '../../functions/portal/sign-in/claims.ts';
import type { OpenIdProvider } from '../../functions/portal/sign-in/provider.ts';
import { PORTAL } from './portal.ts';

/** What the provider says of a person. */
interface Saying {
  readonly subject: string;
  readonly email: string | undefined;
  readonly verified: boolean | undefined;
  readonly personName: string | undefined;
}

/** The identities of these tests. */
export const ISSUER = 'model';

/**
 * A provider that says of a person what the test wants. Unlike the local one it changes addresses and names, and
 * may leave addresses unverified. The protocol is tested with a real provider (test/portal/sign-in.test.ts).
 */
export function scriptedProvider() {
  const claims = new Map<string, object>();
  const provider: OpenIdProvider = {
    authorizationUrl: (_redirectUri, { state }) =>
      Promise.resolve(new URL(`https://provider.example.com/authorize?state=${state}`)),
    authenticate: (callbackUrl) => {
      const said = claims.get(callbackUrl.searchParams.get('state') ?? '') as { sub: string } | undefined;
      if (!said) return Promise.reject(new Error('nobody has signed in'));
      const identity = readIdentity(said, { issuerLabel: ISSUER, trustEmail: false });
      return Promise.resolve({ identity, idToken: 'id-token' });
    },
    endSessionUrl: () => Promise.resolve(new URL('https://provider.example.com/end')),
  };
  return {
    provider,
    /** The address to which the provider redirects after the sign-in of a command. */
    signedIn: (state: string, { subject, email, verified, personName }: Saying): URL => {
      claims.set(state, { sub: subject, email, email_verified: verified, name: personName });
      return new URL(`${PORTAL}/api/sign-in/callback?state=${state}&code=code`);
    },
  };
}
export type ScriptedProvider = ReturnType<typeof scriptedProvider>;
