import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { served } from './served.ts';

type Claims = Record<string, unknown>;
type Answer = (response: ServerResponse) => unknown;
export type ProviderPath = '/.well-known/openid-configuration' | '/token' | '/jwks';
const ENDED = 60;
const HOUR_SECONDS = 3_600;
const CHUNK = Buffer.alloc(65_536, ' ');

/** A key of a provider: the public half is in the list of keys, with this id. */
export interface ProviderKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}
export const providerKey = (kid: string): ProviderKey => ({
  kid,
  ...generateKeyPairSync('rsa', { modulusLength: 2_048 }),
});

/** A signed token. `header` is added to the usual header; `none` and `HS256` are signed as in their attacks. */
export function signed(claims: unknown, { kid, privateKey, publicKey }: ProviderKey, header: Claims = {}): string {
  const parts = [{ alg: 'RS256', kid, ...header }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const text = parts.join('.');
  if (header.alg === 'none') return `${text}.`;
  const secret = publicKey.export({ type: 'spki', format: 'pem' });
  const signature =
    header.alg === 'HS256'
      ? createHmac('sha256', secret).update(text).digest()
      : sign('sha256', Buffer.from(text), privateKey);
  return `${text}.${signature.toString('base64url')}`;
}

/** Answers of a failing provider. */
export const MISBEHAVIOUR = {
  silent: () => undefined,
  'closes the connection': ({ socket }) => socket?.destroy(),
  'fails with 500': (response) => response.writeHead(500).end('broken'),
  'answers HTML': (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Welcome</h1>'),
  'answers no object': (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('[7]'),
  'leads elsewhere': (response) => response.writeHead(302, { Location: 'https://evil.example/' }).end(),
  'never ends': (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"issuer":"');
    const more = (): void => {
      if (!response.destroyed) response.write(CHUNK, () => setImmediate(more));
    };
    more();
  },
} satisfies Record<string, Answer>;

/** A scripted OpenID provider. {@link ScriptedProvider.idToken} determines who signs in. */
export async function scriptedProvider(key: ProviderKey) {
  const misbehaves = new Map<ProviderPath, Answer>();
  const asked: Record<ProviderPath, number> = { '/.well-known/openid-configuration': 0, '/token': 0, '/jwks': 0 };
  const sockets = new Set<Socket>();
  const used = new Set<Socket>();
  const {
    server,
    url: issuer,
    close,
  } = await served((request, response) => {
    const path = request.url as ProviderPath;
    asked[path]++;
    if (provider.isForgetful && used.has(request.socket)) return request.socket.destroy();
    used.add(request.socket);
    const answer = misbehaves.get(path);
    if (answer) answer(response);
    else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(bodies[path]()));
  });
  server.on('connection', (socket) => sockets.add(socket));
  const provider = {
    issuer,
    clientId: 'portal',
    clientSecret: 'a secret of the client of a scripted provider',
    server,
    /** The keys whose public halves it publishes. */
    keys: [key],
    /** The token of the next sign-in. */
    idToken: '' as unknown,
    misbehaves,
    /** Whether it forgets a connection after one use. */
    isForgetful: false,
    asked,
    /** The bytes of the longest connection. */
    sentBytes: () => Math.max(...[...sockets].map(({ bytesWritten }) => bytesWritten)),
    /** The claims of a valid token for the person with this nonce. */
    claims: (nonce: string): Claims => {
      const now = Math.floor(Date.now() / 1_000);
      const who = { sub: `subject of ${nonce}`, email: `${nonce}@example.com`, email_verified: true, name: 'Ada' };
      return { iss: issuer, aud: 'portal', iat: now, exp: now + HOUR_SECONDS, nonce, ...who };
    },
    expired: () => Math.floor(Date.now() / 1_000) - ENDED,
    stop: async () => {
      close();
      await once(server, 'close');
    },
  };
  const bodies: Record<ProviderPath, () => object> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      authorization_response_iss_parameter_supported: true,
    }),
    '/token': () => ({ access_token: 'an access token', token_type: 'Bearer', id_token: provider.idToken }),
    '/jwks': () => ({
      keys: provider.keys.map(({ kid, publicKey }) => ({ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' })),
    }),
  };
  return provider;
}
export type ScriptedProvider = Awaited<ReturnType<typeof scriptedProvider>>;
