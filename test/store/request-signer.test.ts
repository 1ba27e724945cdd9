import { createHash } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createClient } from '../../functions/store/client.ts';
import { requestSigner } from '../../functions/store/request-signer.ts';
import { localAddress } from '../../local/settings.ts';

const text = fc.string({ minLength: 1, unit: 'grapheme-ascii' });
const credentials = fc.record(
  { accessKeyId: text, secretAccessKey: text, sessionToken: text },
  { requiredKeys: ['accessKeyId', 'secretAccessKey'] },
);
const headers = fc.dictionary(
  fc.oneof(
    fc.stringMatching(/^x-[a-z]{1,8}(-[a-z]{1,8})?$/),
    fc.constantFrom('X-Amzn-Trace-Id', 'user-agent', 'X-Amz-Target', 'content-type', 'amz-sdk-request'),
  ),
  fc.string({ unit: fc.constantFrom(' ', '\t', '\r', '\n', 'a', 'Z', '=', ';', ',', ':') }),
);
const arguments_ = fc.record({
  signingDate: fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
  signingRegion: fc.constantFrom('us-east-1', 'eu-central-1'),
  signingService: fc.constant('dynamodb'),
});
const request = (body: Uint8Array, given: Record<string, string>) => ({
  method: 'POST',
  protocol: 'https:',
  hostname: 'dynamodb.us-east-1.amazonaws.com',
  path: '/',
  query: {},
  // The SDK's signer adds this one unless it is there.
  headers: { ...given, host: 'h', 'x-amz-content-sha256': createHash('sha256').update(body).digest('hex') },
  body,
});

test('a request is signed as the SDK would sign it, whoever signs and whatever is signed before and after it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(credentials, { minLength: 1, maxLength: 2 }),
      fc.array(fc.tuple(fc.nat(1), fc.uint8Array(), headers, arguments_), { minLength: 1, maxLength: 5 }),
      async (identities, calls) => {
        let current = identities[0];
        const provider = () => Promise.resolve({ ...(current ?? { accessKeyId: '', secretAccessKey: '' }) });
        // One signer for all: what it remembers of one call must not be in the next.
        const ours = requestSigner(provider as DynamoDBClient['config']['credentials']);
        for (const [who, body, given, options] of calls) {
          current = identities[who % identities.length];
          const sdk = new DynamoDBClient({ region: 'us-east-1', credentials: provider });
          const theirs = await (await sdk.config.signer()).sign(request(body, given), options);
          const unsigned = request(body, given);
          const signed = await ours.sign(unsigned, options);
          expect(signed.headers).toEqual(theirs.headers);
          expect(signed.body).toBe(body);
          // Another attempt signs the same request again.
          expect(unsigned).toEqual(request(body, given));
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('a client has one signer for all of its calls', async () => {
  const { config } = createClient(localAddress(1));
  expect(await config.signer()).toBe(await config.signer());
});
