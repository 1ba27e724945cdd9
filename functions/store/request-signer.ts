import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** What clients of the SDK have in common. */
type Config = Pick<DynamoDBClient['config'], 'credentials' | 'signer'>;
/** What the SDK calls for each attempt of a call. */
type RequestSigner = Awaited<ReturnType<Config['signer']>>;

const ALGORITHM = 'AWS4-HMAC-SHA256';
const TERMINATION = 'aws4_request';
/** Headers that a proxy or a tracer may set anew: unsigned, as by the SDK. */
const CHANGED_ON_THE_WAY: ReadonlySet<string> = new Set(['user-agent', 'x-amzn-trace-id']);

/** Has a client's calls signed by {@link requestSigner}, in place of a signer that the SDK makes anew for each. */
export function signByOurselves(config: Config): void {
  const signer = requestSigner(config.credentials);
  config.signer = () => Promise.resolve(signer);
}

/**
 * Signs calls of AWS's JSON services, a POST to a plain path without a query, by Signature Version 4 (AWS IAM User Guide,
 * "Create a signed AWS API request"). The SDK's own signer takes an HMAC under the secret to look up the key of the day,
 * and hardens both keys each time; this one remembers that key. When to sign, and by which clock, the SDK decides.
 */
export function requestSigner(credentials: Config['credentials']): RequestSigner {
  let known: { readonly origin: string; readonly key: KeyObject } | undefined;
  return {
    sign: async (request, options = {}) => {
      const { signingDate, signingRegion: region = '', signingService: service = '' } = options;
      if (signingDate === undefined) throw new Error('a request is signed for a time');
      const { accessKeyId, secretAccessKey, sessionToken } = await credentials();
      // As 20261122T081500Z.
      const time = new Date(signingDate).toISOString().replace(/[-:]|\.\d+/g, '');
      const scope = `${time.slice(0, 'YYYYMMDD'.length)}/${region}/${service}/${TERMINATION}`;
      const origin = `${secretAccessKey}/${scope}`;
      if (known?.origin !== origin) known = { origin, key: derivedKey(secretAccessKey, scope) };

      const headers: Record<string, string> = { ...request.headers, 'x-amz-date': time };
      if (sessionToken !== undefined) headers['x-amz-security-token'] = sessionToken;
      const lines = new Map<string, string>();
      for (const [name, value] of Object.entries(headers)) lines.set(name.toLowerCase(), oneSpace(value));
      const names = [...lines.keys()].filter((name) => !CHANGED_ON_THE_WAY.has(name)).sort();
      const canonical = [
        request.method,
        request.path,
        '',
        ...names.map((name) => `${name}:${lines.get(name) ?? ''}`),
        '',
        names.join(';'),
        hash('sha256', request.body as Uint8Array),
      ].join('\n');
      const signature = createHmac('sha256', known.key)
        .update(`${ALGORITHM}\n${time}\n${scope}\n${hash('sha256', canonical)}`)
        .digest('hex');
      headers.authorization = `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
      return { ...request, headers };
    },
  };
}

const oneSpace = (value: string): string => value.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '');

/** Good for a day, a region and a service. */
const derivedKey = (secret: string, scope: string): KeyObject =>
  createSecretKey(
    scope
      .split('/')
      .reduce(
        (key, part) => createHmac('sha256', createSecretKey(key)).update(part).digest(),
        Buffer.from(`AWS4${secret}`),
      ),
  );
