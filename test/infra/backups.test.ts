import { describe, expect, test } from '@jest/globals';
import { COPY_VAULT, propertiesOf, resourcesOf, stages, type StackTemplate, type Statement } from '../support/stack.ts';

const { copied } = await stages();
const { data, gateway } = copied;
const VAULT = 'AWS::Backup::BackupVault';
const one = (template: StackTemplate, type: string) => propertiesOf(template, type)[0];

describe('the copies of backups', () => {
  test('are made every night, of both tables, and kept in the other vault as long as is set', () => {
    expect(one(data, 'AWS::Backup::BackupPlan')).toMatchObject({
      BackupPlan: {
        BackupPlanRule: [
          {
            ScheduleExpression: 'cron(0 3 * * ? *)',
            Lifecycle: { DeleteAfterDays: 35 },
            CopyActions: [{ DestinationBackupVaultArn: COPY_VAULT, Lifecycle: { DeleteAfterDays: 365 } }],
          },
        ],
      },
    });
    const tables = ['Gateway', 'Usage'].map((name) => ({
      'Fn::GetAtt': [expect.stringContaining(`Tables${name}`), 'Arn'],
    }));
    expect(one(data, 'AWS::Backup::BackupSelection')).toMatchObject({ BackupSelection: { Resources: tables } });
  });

  test('lie beside the tables, where no rollback of the gateway touches them, and their vault is kept', () => {
    expect(resourcesOf(gateway, VAULT)).toEqual([]);
    expect(resourcesOf(data, VAULT)).toEqual([
      [
        expect.anything(),
        expect.objectContaining({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' }),
      ],
    ]);
  });

  test('tell someone when one fails', () => {
    const topic = { Ref: expect.stringContaining('BackupsTopic') };
    expect(one(data, VAULT)).toMatchObject({
      Notifications: { BackupVaultEvents: ['BACKUP_JOB_FAILED', 'COPY_JOB_FAILED'], SNSTopicArn: topic },
    });
    expect(one(data, 'AWS::SNS::Subscription')).toMatchObject({ Endpoint: 'team@example.com', TopicArn: topic });
    const [policy] = propertiesOf<{ PolicyDocument: { Statement: Statement[] } }>(data, 'AWS::SNS::TopicPolicy');
    expect(policy?.PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({ Action: 'sns:Publish', Principal: { Service: 'backup.amazonaws.com' } }),
    );
  });

  test('are made by a role of the service’s own, with the policy that AWS keeps for it and no other', () => {
    const [role, ...others] = propertiesOf<{ ManagedPolicyArns: unknown[] }>(data, 'AWS::IAM::Role');
    expect(others).toEqual([]);
    expect(role).toMatchObject({
      AssumeRolePolicyDocument: { Statement: [{ Principal: { Service: 'backup.amazonaws.com' } }] },
    });
    expect(JSON.stringify(role?.ManagedPolicyArns)).toMatch(
      /^\[[^[\]]*\[[^[\]]*\[[^[\]]*AWSBackupServiceRolePolicyForBackup"\]\]\}\]$/,
    );
    expect(resourcesOf(data, 'AWS::IAM::Policy')).toEqual([]);
  });
});
