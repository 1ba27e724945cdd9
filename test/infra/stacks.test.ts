import { describe, expect, test } from '@jest/globals';
import { leaksOfBuild } from '../support/secrets/build.ts';
import { stages } from '../support/stack.ts';

const all = await stages();
const { dev, staging, prod, placed, domain, mailed, runbook, portal, portalProd, portalProbed, portalInUsEast1 } = all;

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
