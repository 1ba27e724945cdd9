import { describe, expect, test } from '@jest/globals';
import { propertiesOf, resourcesOf, stages, statementsOf, type StackTemplate } from '../support/stack.ts';

const TABLE = 'AWS::DynamoDB::GlobalTable';
const SECRET = 'AWS::SecretsManager::Secret';
const { prod, restored } = await stages();

describe('the tables', () => {
  test('are two, with text keys, billed on demand, with a TTL, and encrypted with a key of the account, explicitly', () => {
    const table = expect.objectContaining({
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
    });
    expect(propertiesOf(prod.data, TABLE)).toEqual([table, table]);
  });

  test('can be restored to any second', () => {
    const recoveries = propertiesOf<{ Replicas: object[] }>(prod.data, TABLE).flatMap(({ Replicas }) => Replicas);
    const enabled = { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } };
    expect(recoveries).toMatchObject([enabled, enabled]);
  });

  test('are kept when the stack is deleted or a table is replaced', () => {
    for (const [, table] of resourcesOf(prod.data, TABLE)) {
      expect(table).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
    }
  });
});

describe('the stack of the tables', () => {
  test('holds its tables and the secret alone, and exports them always, so that the gateway can go to restored ones and back', () => {
    const exportsOf = ({ Outputs = {} }: StackTemplate) =>
      Object.keys(Outputs).filter((name) => name.startsWith('Exports'));
    expect(exportsOf(prod.data)).toHaveLength(7);
    for (const type of [TABLE, SECRET]) expect(resourcesOf(prod.gateway, type)).toEqual([]);
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
