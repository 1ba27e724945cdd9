import { noteSecret } from './journal.ts';

/** Notes what is secret in an address of a sign-in, be it the way to the provider or back. */
export function noteSignIn(address: URL | string | undefined): void {
  const query = URL.parse(String(address), 'https://portal.example.com')?.searchParams;
  noteSecret('code of a sign-in', query?.get('code') ?? '');
  noteSecret('state of a sign-in', query?.get('state') ?? '');
  noteSecret('nonce of a sign-in', query?.get('nonce') ?? '');
}

/** Notes the verifier in the cookie of an attempt to sign in; another cookie holds none. */
export function noteAttempt(cookie: string): void {
  const [, value = ''] = /^__Host-Http-sign-in-[^=]+=([\w-]+)/.exec(cookie) ?? [];
  const [, verifier = ''] = /"codeVerifier":"([\w-]+)"/.exec(Buffer.from(value, 'base64url').toString()) ?? [];
  noteSecret('PKCE verifier', verifier);
}

/** Notes the tokens in an answer of a provider's token endpoint; another answer holds none. */
export function noteTokens(text: string): void {
  for (const [, token = ''] of text.matchAll(/"(?:id|access|refresh)_token":"([^"]+)"/g)) noteSecret('token', token);
}
