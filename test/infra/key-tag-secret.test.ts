import { describe, expect, test } from '@jest/globals';
import { resourcesOf, stages, variablesIn } from '../support/stack.ts';

const { alone: prod, pinned } = await stages();

/** A reference that CloudFormation resolves: the text of a secret's version, by its imported ARN. */
const textOf = (version: string) => ({
  'Fn::Join': [
    '',
    [
      '{{resolve:secretsmanager:',
      { 'Fn::ImportValue': expect.stringContaining('KeyTagSecret') },
      `:SecretString:::${version}}}`,
    ],
  ],
});

describe('the secret of key tags', () => {
  test('is what the metered function has of it in its environment, filled in when it is deployed; health has nothing', () => {
    expect(variablesIn(prod.gateway, 'Metered')).toMatchObject({ KEY_TAG_SECRETS: textOf('') });
    expect(variablesIn(prod.gateway, 'Health')).not.toHaveProperty('KEY_TAG_SECRETS');
  });

  const version = '5a1d7c3e-0000-4000-8000-000000000000';
  test('is given in the version that is set, of which there is a new version of the function', () => {
    expect(variablesIn(pinned.gateway, 'Metered')).toMatchObject({ KEY_TAG_SECRETS: textOf(version) });
    const versions = ({ gateway }: typeof prod) =>
      resourcesOf(gateway, 'AWS::Lambda::Version').filter(([id]) => id.includes('Metered'));
    expect(versions(pinned)[0]?.[0]).not.toBe(versions(prod)[0]?.[0]);
  });

  test('is passed to the admin CLI by its ARN and version, never by its text', () => {
    const arn = { 'Fn::ImportValue': expect.stringContaining('KeyTagSecret') };
    expect(prod.gateway.Outputs).toMatchObject({
      KeyTagSecretArn: { Value: arn },
      KeyTagSecretVersion: { Value: 'AWSCURRENT' },
    });
    expect(pinned.gateway.Outputs).toMatchObject({ KeyTagSecretVersion: { Value: version } });
    for (const { Outputs } of [prod.gateway, prod.data]) expect(JSON.stringify(Outputs)).not.toContain('resolve:');
  });
});
