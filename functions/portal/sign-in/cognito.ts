import type { ServerMetadata } from 'openid-client';

/**
 * The metadata of a user pool of Amazon Cognito. They follow from its addresses, so no instance has to request them.
 */
export const cognitoMetadata = (issuer: string, signInPages: string): ServerMetadata => ({
  issuer,
  authorization_endpoint: `${signInPages}/oauth2/authorize`,
  token_endpoint: `${signInPages}/oauth2/token`,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  id_token_signing_alg_values_supported: ['RS256'],
});

/**
 * The address of Cognito's sign-out, with parameters of its own (Cognito, "The managed login sign-out endpoint:
 * /logout").
 */
export function cognitoSignOutUrl(signInPages: string, clientId: string, returnTo: string): URL {
  const url = new URL('/logout', signInPages);
  url.search = new URLSearchParams({ client_id: clientId, logout_uri: returnTo }).toString();
  return url;
}
