import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { NOTICE_SAMPLES } from '../../functions/notices/webhooks/samples.ts';
import { NOTICE_TYPES, TEST_TYPE } from '../../functions/shared/notice-type.ts';

interface Document {
  readonly webhooks: Readonly<
    Record<string, { post: { requestBody: { content: { 'application/json': { example: Example } } } } }>
  >;
  readonly components: { schemas: { Webhook: { properties: { data: { properties: object } } } } };
}
interface Example {
  readonly type: string;
  readonly data: { readonly accountId: string };
}
const { webhooks, components } = load(readFileSync('openapi.yaml', 'utf8')) as Document;

test('the public contract has every type of webhook, each with the data that a sample has, and describes each member', () => {
  expect(Object.keys(webhooks).sort()).toEqual([...NOTICE_TYPES, TEST_TYPE].sort());
  const described = Object.keys(components.schemas.Webhook.properties.data.properties);
  for (const [name, { post }] of Object.entries(webhooks)) {
    const { type, data } = post.requestBody.content['application/json'].example;
    const { accountId, ...rest } = data;
    const samples: Readonly<Record<string, object>> = NOTICE_SAMPLES;
    expect([type, rest]).toEqual([name, samples[name] ?? { endpointId: expect.stringMatching(/^ept_/) as unknown }]);
    expect(accountId).toMatch(/^acc_/);
    expect(described).toEqual(expect.arrayContaining(Object.keys(data)));
  }
});
