import { describe, expect, test } from '@jest/globals';
import { COPY_VAULT, propertiesOf, stages, type StackTemplate, type Statement } from '../support/stack.ts';

const { full, restored, prod } = await stages();
const { data } = full;
const VAULT = 'AWS::Backup::BackupVault';
const RULE = 'AWS::Events::Rule';
const one = (template: StackTemplate, type: string) => propertiesOf(template, type)[0];

describe('the copies of backups', () => {
  test('are made every night, of both tables; seven are kept here, and ninety days of them in the other vault', () => {
    expect(one(data, 'AWS::Backup::BackupPlan')).toMatchObject({
      BackupPlan: {
        BackupPlanRule: [
          {
            ScheduleExpression: 'cron(0 3 * * ? *)',
            Lifecycle: { DeleteAfterDays: 7 },
            CopyActions: [{ DestinationBackupVaultArn: COPY_VAULT, Lifecycle: { DeleteAfterDays: 90 } }],
          },
        ],
      },
    });
    const tables = ['Gateway', 'Usage'].map((name) => ({
      'Fn::GetAtt': [expect.stringContaining(`Tables${name}`), 'Arn'],
    }));
    expect(one(data, 'AWS::Backup::BackupSelection')).toMatchObject({ BackupSelection: { Resources: tables } });
  });

  test('are of the tables that the stage works on: after a restore of the restored ones, and of no abandoned one', () => {
    const [selection] = propertiesOf<{ BackupSelection: { Resources: unknown[] } }>(
      restored.data,
      'AWS::Backup::BackupSelection',
    );
    const resources = JSON.stringify(selection?.BackupSelection.Resources);
    for (const name of ['Gateway-restored', 'Usage-restored']) expect(resources).toContain(`:table/${name}"`);
    expect(resources).not.toContain('Tables');
    expect(selection?.BackupSelection.Resources).toHaveLength(2);
    expect(JSON.stringify(propertiesOf(restored.data, RULE))).not.toContain('Tables');
  });

  const topic = { Ref: expect.stringContaining('BackupsTopic') };
  interface Rule {
    readonly EventPattern: { readonly detail: { readonly resourceArn: unknown[] } };
    readonly Targets: readonly {
      readonly Arn: unknown;
      readonly InputTransformer: { readonly InputPathsMap: Record<string, string>; readonly InputTemplate: string };
    }[];
  }
  const [rule] = propertiesOf<Rule>(data, RULE);

  // AWS no longer sends the vault events BACKUP_JOB_FAILED and BACKUP_JOB_EXPIRED.
  test('tell someone whenever a backup or a copy ends in anything but success, and why', () => {
    expect(one(data, VAULT)).not.toHaveProperty('Notifications');
    expect(rule).toMatchObject({
      State: 'ENABLED',
      EventPattern: {
        source: ['aws.backup'],
        'detail-type': ['Backup Job State Change', 'Copy Job State Change'],
        detail: { state: ['FAILED', 'ABORTED', 'EXPIRED', 'PARTIAL'] },
      },
    });
    expect(rule?.EventPattern.detail.resourceArn).toEqual(
      ['Gateway', 'Usage'].map((name) => ({ 'Fn::GetAtt': [expect.stringContaining(`Tables${name}`), 'Arn'] })),
    );
    expect(rule?.Targets).toEqual([expect.objectContaining({ Arn: topic })]);
    expect(one(data, 'AWS::SNS::Subscription')).toMatchObject({ Endpoint: 'team@example.com', TopicArn: topic });
    const [policy] = propertiesOf<{ PolicyDocument: { Statement: Statement[] } }>(data, 'AWS::SNS::TopicPolicy');
    expect(policy?.PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({ Action: 'sns:Publish', Principal: { Service: 'events.amazonaws.com' } }),
    );
    expect(data.Outputs).toMatchObject({ AlarmTopicArn: { Value: topic } });
    expect(prod.data.Outputs).not.toHaveProperty('AlarmTopicArn');
    // Without its own key: with a key that services may not use, every message would be lost.
    expect(one(data, 'AWS::SNS::Topic')).not.toHaveProperty('KmsMasterKeyId');
  });

  test('the mail of a failure is JSON whatever is in the event, says why, and leads to the runbook', () => {
    const { InputPathsMap = {}, InputTemplate = '' } = rule?.Targets[0]?.InputTransformer ?? {};
    // Every event has these: with a path to nothing, no mail would be sent.
    expect(Object.values(InputPathsMap).sort()).toEqual(['$.detail', '$.detail-type']);
    const job = { state: 'FAILED', statusMessage: 'The vault "copies" is locked.' };
    const event: Record<string, unknown> = { '$.detail-type': 'Copy Job State Change', '$.detail': job };
    // As EventBridge does it: the value, as JSON, replaces its name.
    const mail = InputTemplate.replace(/<([\w-]+)>/g, (_all, name: string) =>
      JSON.stringify(event[InputPathsMap[name] ?? '']),
    );
    expect(JSON.parse(mail)).toEqual({
      AlarmDescription: expect.stringMatching(
        /^TOMORROW\. .*Runbook: https:\/\/wiki\.example\.com\/gateway#alarm-backupmissing$/,
      ),
      event: 'Copy Job State Change',
      job,
    });
  });

  test('that are not even tried are noticed: two days without a backup of both tables are an alarm, and so is no data', () => {
    expect(propertiesOf(data, 'AWS::CloudWatch::Alarm')).toEqual([
      expect.objectContaining({
        AlarmName: 'sandbox-gateway-shop-BackupMissing',
        AlarmActions: [topic],
        OKActions: [topic],
        // A day without a job has no data: without the fill the alarm would use the days before.
        Metrics: [
          expect.objectContaining({ Expression: 'FILL(completed, 0)' }),
          expect.objectContaining({
            MetricStat: {
              Metric: {
                Namespace: 'AWS/Backup',
                MetricName: 'NumberOfBackupJobsCompleted',
                Dimensions: [
                  { Name: 'BackupVaultName', Value: { 'Fn::GetAtt': [expect.anything(), 'BackupVaultName'] } },
                ],
              },
              Stat: 'Sum',
              Period: 86_400,
            },
          }),
        ],
        Threshold: 2,
        ComparisonOperator: 'LessThanThreshold',
        EvaluationPeriods: 2,
        DatapointsToAlarm: 2,
        TreatMissingData: 'breaching',
      }),
    ]);
    expect(propertiesOf(prod.data, 'AWS::CloudWatch::Alarm')).toEqual([]);
  });
});
