import { describe, expect, test } from '@jest/globals';
import { leaksOfBuild } from '../support/secrets/build.ts';
import { propertiesOf, stages, type SynthesisedStage } from '../support/stack.ts';

const all = await stages();
const { dev, staging, prod, placed, domain, mailed, runbook } = all;
const { portal, portalProd, portalProbed, portalInUsEast1, portalCreated, portalAdded } = all;

describe('the stacks', () => {
  test('have no secret in their templates', () => {
    expect(Object.entries(all).flatMap(([name, stage]) => leaksOfBuild(name, JSON.stringify(stage)))).toEqual([]);
  });

  test('of prod cannot be deleted: an address of API Gateway’s cannot be had again', () => {
    expect([dev, staging, prod].map(({ isProtected }) => isProtected.gateway)).toEqual([false, false, true]);
  });

  test('go to the account and region that the stage is set to, and to no other', () => {
    expect(placed.places).toEqual(['aws://123456789012/eu-central-1', 'aws://123456789012/eu-central-1']);
    expect(prod.places).toEqual(['aws://unknown-account/unknown-region', 'aws://unknown-account/unknown-region']);
  });
});

describe('a creation that fails can be made again', () => {
  /** Everything with deletion protection: the stacks, and in the stack of the tables the tables and the user pool. */
  const refusals = ({ isProtected, data }: SynthesisedStage) => ({
    ...isProtected,
    tables: propertiesOf<{ Replicas: { DeletionProtectionEnabled: boolean }[] }>(
      data,
      'AWS::DynamoDB::GlobalTable',
    ).flatMap(({ Replicas }) => Replicas.map(({ DeletionProtectionEnabled }) => DeletionProtectionEnabled)),
    people: propertiesOf<{ DeletionProtection: string }>(data, 'AWS::Cognito::UserPool').map(
      ({ DeletionProtection }) => DeletionProtection,
    ),
  });
  const whole = { data: true, gateway: true, portal: true, tables: [true, true], people: ['ACTIVE'] };

  test('since nothing refuses to be deleted while its stack is created, and everything that should from then on', () => {
    expect(refusals(portalProd)).toEqual(whole);
    expect(refusals(portalCreated)).toEqual({
      ...{ data: false, gateway: false, portal: false, tables: [false, false], people: ['INACTIVE'] },
    });
  });

  test('of one stack that is added, while those that are there stay protected', () => {
    expect(refusals(portalAdded)).toEqual({ ...whole, portal: false });
  });

  test('since it keeps nothing of what it made, though a stack that is deleted later keeps what it must', () => {
    const policies = Object.values(all).flatMap(({ data, gateway, portal, edge }) =>
      [data, gateway, portal, edge].flatMap((template) =>
        Object.values(template?.Resources ?? {}).map(({ DeletionPolicy }) => DeletionPolicy ?? 'Delete'),
      ),
    );
    expect(new Set(policies)).toEqual(new Set(['Delete', 'RetainExceptOnCreate']));
  });
});

describe('the synthesis warns', () => {
  test('prod of an address that goes with the stack, of any account, and of alarms that reach nobody or lead nowhere', () => {
    expect(prod.warnings).toEqual(['account', 'domainName', 'alarmEmail', 'runbookUrl']);
  });

  test('staging of the same, but its address; dev of nothing', () => {
    expect(staging.warnings).toEqual(['account', 'alarmEmail', 'runbookUrl']);
    expect([dev, runbook].map(({ warnings }) => warnings)).toEqual([[], []]);
  });

  test('of a portal whose CloudFront nothing watches: its alarm is in us-east-1 only, the probe looks from anywhere', () => {
    expect(portalProd.warnings).toContain('probe');
    for (const watched of [portalProbed, portalInUsEast1, portal]) expect(watched.warnings).not.toContain('probe');
  });

  test('of nothing that is set', () => {
    expect(placed.warnings).not.toContain('account');
    expect(domain.warnings).not.toContain('domainName');
    expect(mailed.warnings).not.toContain('alarmEmail');
  });
});
