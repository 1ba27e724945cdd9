import { Stack, type CfnElement } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { inPartitions } from '../table-grants.ts';
import type { Tables } from '../tables.ts';
import { acknowledgeWildcard } from '../wildcards.ts';

/** Kinds of partitions of the Gateway table (docs/architecture.md, "Data model"). */
const ACCOUNT = 'ACCOUNT#*';
const ACCOUNTS = 'ACCOUNTS';
/** What was charged on a day. */
const CHARGED = 'CHARGED#*';
/** What ends on a day, and the accounts with days of their own. */
const EXPIRING = 'EXPIRING#*';
const EXPIRY_DAYS = 'EXPIRY-DAYS';
const INVITED = 'INVITED#*';
const KEY = 'KEY#*';
const MAILED = 'MAILED#*';
const NOTICES = 'NOTICES#*';
/** The progress of the daily run. */
const RUNS = 'NOTICES';
const PROJECT = 'PROJECT#*';
const ROLLUP = 'ROLLUP#*';
const USER = 'USER#*';

/** The calls of daily work, by partition. */
const OF_DAILY_WORK: Readonly<Record<string, readonly string[]>> = {
  BatchGetItem: [NOTICES, PROJECT],
  // Transactions read counters, too.
  GetItem: [ACCOUNT, CHARGED, KEY, PROJECT],
  Query: [CHARGED, EXPIRING, PROJECT, ROLLUP],
  PutItem: [NOTICES],
  UpdateItem: [CHARGED, RUNS],
};

/** The function's calls, by partition. IAM checks each part of a transaction as a single call. */
const IN_PARTITIONS: Readonly<Record<string, readonly string[]>> = {
  BatchGetItem: [ACCOUNT, PROJECT, KEY, MAILED, NOTICES],
  GetItem: [ACCOUNT, INVITED, KEY, MAILED, NOTICES, RUNS, PROJECT, USER],
  // Until the next release: the list of accounts, what older versions did not write (`backfill.ts`), and EXPIRING, of
  // what they have handed out in the webhook queue.
  Query: [ACCOUNT, ACCOUNTS, EXPIRING, EXPIRY_DAYS, NOTICES, PROJECT, RUNS],
  // Of an account it writes the audit event that an endpoint was switched off, and, as DeleteItem, of keys and projects
  // what ends a key that a report has left: the key, its listing, its reference and the count of active keys.
  PutItem: [ACCOUNT, CHARGED, EXPIRING, EXPIRY_DAYS, NOTICES, MAILED],
  UpdateItem: [KEY, MAILED, NOTICES, PROJECT, RUNS],
  DeleteItem: [ACCOUNT],
  ConditionCheckItem: [ACCOUNT, KEY],
};

/** For its own calls, and those of the mapping. */
const QUEUE_ACTIONS = ['sqs:SendMessage', 'sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

export interface Granted {
  readonly tables: Tables;
  readonly streamArn: string;
  readonly queues: readonly IQueue[];
  /** It only fills this one. */
  readonly daily: IQueue;
  readonly failures: IBucket;
  /** Undefined: the stage sends no mail. */
  readonly mail: { readonly address: string; readonly configurationSet: string } | undefined;
}

/** Grants the function exactly the calls that it and its event source mappings make. */
export function grantNotices(role: Role, { tables, streamArn, queues, daily, failures, mail }: Granted): void {
  const { gateway } = tables;
  for (const [action, partitions] of Object.entries(IN_PARTITIONS)) {
    role.addToPolicy(inPartitions(gateway, [action], partitions));
  }
  const allow = (actions: string[], ...resources: string[]) =>
    role.addToPolicy(new PolicyStatement({ actions, resources }));
  allow(['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'], streamArn);
  // This call returns names only, and takes no resource.
  allow(['dynamodb:ListStreams'], '*');
  acknowledgeWildcard(role, '*', 'The list of streams has names only, and its action takes no resource.');
  allow(QUEUE_ACTIONS, ...queues.map(({ queueArn }) => queueArn));
  allow(['sqs:SendMessage'], daily.queueArn);
  allow(['s3:PutObject'], failures.arnForObjects('*'));
  allow(['s3:ListBucket'], failures.bucketArn);
  const bucketId = Stack.of(role).getLogicalId(failures.node.defaultChild as CfnElement);
  acknowledgeWildcard(role, `<${bucketId}.Arn>/*`, 'Lambda names the objects itself; the bucket is for them alone.');
  if (mail) grantMail(role, mail);
}

/**
 * Grants the function of daily work its calls. It alone reads the usage log: the other one calls endpoints of strangers.
 */
export function grantDailyWork(role: Role, { gateway, usage }: Tables, { queueArn }: IQueue): void {
  for (const [action, partitions] of Object.entries(OF_DAILY_WORK))
    role.addToPolicy(inPartitions(gateway, [action], partitions));
  role.addToPolicy(new PolicyStatement({ actions: ['dynamodb:Query'], resources: [usage.tableArn] }));
  role.addToPolicy(new PolicyStatement({ actions: QUEUE_ACTIONS, resources: [queueArn] }));
}

function grantMail(role: Role, { address, configurationSet }: NonNullable<Granted['mail']>): void {
  const ses = (resource: string, resourceName: string): string =>
    Stack.of(role).formatArn({ service: 'ses', resource, resourceName });
  const identities = ses('identity', '*');
  role.addToPolicy(
    new PolicyStatement({
      actions: ['ses:SendEmail'],
      resources: [identities, ses('configuration-set', configurationSet)],
      conditions: { StringEquals: { 'ses:FromAddress': address } },
    }),
  );
  acknowledgeWildcard(
    role,
    identities,
    'What is verified in SES is the address, its domain or one above it; the condition names the address.',
  );
}
