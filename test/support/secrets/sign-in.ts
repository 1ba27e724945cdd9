import { noteSecret } from './journal.ts';

/** Notes the secrets in an address of a sign-in, to the provider or back. */
export function noteSignIn(address: URL | string | undefined): void {
  const query = URL.parse(String(address), 'https://portal.example.com')?.searchParams;
  noteSecret('code of a sign-in', query?.get('code') ?? '');
  noteSecret('state of a sign-in', query?.get('state') ?? '');
  noteSecret('nonce of a sign-in', query?.get('nonce') ?? '');
}

/** Notes the verifier in the cookie of a sign-in attempt; other cookies have none. */
export function noteAttempt(cookie: string): void {
  const [, value = ''] = /^__Host-Http-sign-in-[^=]+=([\w-]+)/.exec(cookie) ?? [];
  const [, verifier = ''] = /"codeVerifier":"([\w-]+)"/.exec(Buffer.from(value, 'base64url').toString()) ?? [];
  noteSecret('PKCE verifier', verifier);
}

/** Notes the tokens in the response of a provider's token endpoint; other responses have none. */
export function noteTokens(text: string): void {
  for (const [, token = ''] of text.matchAll(/"(?:id|access|refresh)_token":"([^"]+)"/g)) noteSecret('token', token);
}
