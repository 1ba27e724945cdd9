import { describe, expect, test } from '@jest/globals';
import { propertiesOf, resourcesOf, stages, statementsOf, variablesIn, type StackTemplate } from '../support/stack.ts';

const TABLE = 'AWS::DynamoDB::GlobalTable';
const SECRET = 'AWS::SecretsManager::Secret';
const { prod, restored, replicated, standby } = await stages();

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

test('restored tables take the place of the stack’s own in each stack: environment, permissions, outputs and stream; keys stay as they are', () => {
  const names = { GATEWAY_TABLE: 'Gateway-restored', USAGE_TABLE: 'Usage-restored' };
  for (const part of ['gateway', 'portal', 'notices'] as const)
    expect(JSON.stringify(restored[part])).not.toMatch(/Fn::ImportValue":"[^"]*Tables/);
  expect(variablesIn(restored.gateway, 'Metered')).toMatchObject({
    ...names,
    KEY_TAG_SECRETS: variablesIn(prod.gateway, 'Metered').KEY_TAG_SECRETS,
  });
  expect(variablesIn(restored.portal)).toMatchObject(names);
  expect(JSON.stringify(restored.notices)).toContain(':table/Gateway-restored/stream/');
  expect(restored.gateway.Outputs).toMatchObject({
    GatewayTableName: { Value: 'Gateway-restored' },
    UsageTableName: { Value: 'Usage-restored' },
  });
  const statements = statementsOf(restored.gateway, 'Metered').map(({ Resource }) => JSON.stringify(Resource));
  expect(statements.filter((resource) => /table\/(Gateway|Usage)-restored"/.test(resource))).toHaveLength(3);
});

describe('a copy in another region', () => {
  const regionsOf = (data: StackTemplate) =>
    propertiesOf<{ Replicas: { Region: string; DeletionProtectionEnabled: boolean }[] }>(data, TABLE).map(
      ({ Replicas }) => Replicas.map(({ Region, DeletionProtectionEnabled }) => [Region, DeletionProtectionEnabled]),
    );

  test('has both tables, protected as the stage’s own, and the secret', () => {
    const both = [
      ['eu-west-1', true],
      ['eu-central-1', true],
    ];
    expect(regionsOf(replicated.data)).toEqual([both, both]);
    expect(propertiesOf(replicated.data, SECRET)).toEqual([
      expect.objectContaining({ ReplicaRegions: [{ Region: 'eu-west-1' }] }),
    ]);
  });

  test('changes only that of a live table: DynamoDB lets a stream be changed only where there is none', () => {
    const rest = ({ data }: typeof prod) =>
      propertiesOf<{ Replicas: object[] }>(data, TABLE).map(({ Replicas: _, ...others }) => others);
    expect(rest(replicated)).toEqual(rest(prod));
    expect(rest(prod)).toMatchObject(Array(2).fill({ StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' } }));
  });

  test('is used by a stage there, under the copied secret, which the CLI has, too', () => {
    const arn = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:key-tags-AbCdEf';
    expect(variablesIn(standby.gateway, 'Metered')).toMatchObject({
      GATEWAY_TABLE: 'Gateway-restored',
      KEY_TAG_SECRETS: `{{resolve:secretsmanager:${arn}:SecretString:::}}`,
    });
    expect(standby.gateway.Outputs).toMatchObject({ KeyTagSecretArn: { Value: arn } });
    expect(JSON.stringify(resourcesOf(standby.data, 'AWS::IAM::ManagedPolicy'))).toContain(arn);
  });
});
