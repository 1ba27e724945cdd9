import { describe, expect, test } from '@jest/globals';
import { propertiesOf, resourcesOf, stages, statementsOf, type StackTemplate } from '../support/stack.ts';

const TABLE = 'AWS::DynamoDB::GlobalTable';
const SECRET = 'AWS::SecretsManager::Secret';
const { dev, prod, restored } = await stages();
const both = (properties: object) => [expect.objectContaining(properties), expect.objectContaining(properties)];

describe('the tables', () => {
  test('are two, with a string partition and sort key', () => {
    const keys = {
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
    };
    expect(propertiesOf(prod.data, TABLE)).toEqual(both(keys));
  });

  test('are billed on demand', () => {
    expect(propertiesOf(prod.data, TABLE)).toEqual(both({ BillingMode: 'PAY_PER_REQUEST' }));
  });

  test('let old items go by TTL', () => {
    const ttl = { TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true } };
    expect(propertiesOf(prod.data, TABLE)).toEqual(both(ttl));
  });

  test('are encrypted with a key of the account, explicitly', () => {
    const encryption = { SSESpecification: { SSEEnabled: true, SSEType: 'KMS' } };
    expect(propertiesOf(prod.data, TABLE)).toEqual(both(encryption));
  });

  const replicas = (template: StackTemplate, property: string) =>
    propertiesOf<{ Replicas: Record<string, unknown>[] }>(template, TABLE).map(({ Replicas }) =>
      Replicas.map((replica) => replica[property]),
    );

  test('can be restored to any second', () => {
    const enabled = [{ PointInTimeRecoveryEnabled: true }];
    expect(replicas(prod.data, 'PointInTimeRecoverySpecification')).toEqual([enabled, enabled]);
  });

  test('are kept when the stack is deleted or a table is replaced', () => {
    for (const [, table] of resourcesOf(prod.data, TABLE)) {
      expect(table).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
    }
  });

  test('cannot be deleted in production, but in dev', () => {
    expect(replicas(prod.data, 'DeletionProtectionEnabled')).toEqual([[true], [true]]);
    expect(replicas(dev.data, 'DeletionProtectionEnabled')).toEqual([[false], [false]]);
  });

  test('have the names that CloudFormation gives them', () => {
    for (const properties of propertiesOf(prod.data, TABLE)) expect(properties).not.toHaveProperty('TableName');
  });
});

describe('the stack of the tables', () => {
  test('is another one than the gateway’s, and holds the people and the secret of key tags beside them: no rollback of the gateway touches it', () => {
    expect(
      Object.values(prod.data.Resources)
        .map(({ Type }) => Type)
        .sort(),
    ).toEqual(['AWS::Cognito::UserPool', TABLE, TABLE, SECRET]);
    for (const type of [TABLE, SECRET]) expect(resourcesOf(prod.gateway, type)).toEqual([]);
  });

  test('exports its tables and the secret always, so that the gateway can go to restored ones and back', () => {
    const exportsOf = ({ Outputs = {} }: StackTemplate) => Object.keys(Outputs).sort();
    expect(exportsOf(prod.data)).toHaveLength(7);
    expect(exportsOf(restored.data)).toEqual(expect.arrayContaining(exportsOf(prod.data)));
  });
});

test('restored tables take the place of the stack’s own: in the environment, the permissions, the outputs and the stream', () => {
  expect(JSON.stringify(restored.gateway)).not.toMatch(/Fn::ImportValue":"[^"]*Tables/);
  expect(restored.gateway.Outputs).toMatchObject({
    GatewayTableName: { Value: 'Gateway-restored' },
    UsageTableName: { Value: 'Usage-restored' },
  });
  const statements = statementsOf(restored.gateway, 'Metered').map(({ Resource }) => JSON.stringify(Resource));
  expect(statements.filter((resource) => resource.includes('table/Gateway-restored"'))).toHaveLength(2);
  expect(statements.filter((resource) => resource.includes('table/Usage-restored"'))).toHaveLength(1);
});
