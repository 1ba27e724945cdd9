import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { inPartitions } from '../table-grants.ts';
import type { Tables } from '../tables.ts';

/** Kinds of partitions of the Gateway table (docs/architecture.md, "Data model"). */
const USER = 'USER#*';
const IDENTITY = 'IDENTITY#*';
const USED = 'USED#*';
const INVITED = 'INVITED#*';
const MAILED = 'MAILED#*';
const ACCOUNT = 'ACCOUNT#*';
const ACCOUNTS = 'ACCOUNTS';
const PROJECT = 'PROJECT#*';
const KEY = 'KEY#*';
const TOKEN = 'TOKEN#*';
const ROLLUP = 'ROLLUP#*';
/** What ends on a day, and the accounts with days of their own. */
const EXPIRING = 'EXPIRING#*';
const EXPIRY_DAYS = 'EXPIRY-DAYS';
/** Endpoints, their deliveries, and the results of mails. */
const NOTICES = 'NOTICES#*';

/** The calls of the portal's function, by partitions. IAM checks the parts of a transaction as single calls. */
const IN_PARTITIONS: Readonly<Record<string, readonly string[]>> = {
  BatchGetItem: [USER, USED, ACCOUNT, PROJECT, KEY, TOKEN, NOTICES],
  GetItem: [USER, IDENTITY, INVITED, ACCOUNT, PROJECT, KEY, TOKEN, NOTICES, MAILED],
  Query: [USER, INVITED, ACCOUNT, PROJECT, ROLLUP, NOTICES],
  ConditionCheckItem: [USER, USED, ACCOUNT, PROJECT, KEY, TOKEN, NOTICES],
  PutItem: [
    ...[USER, IDENTITY, INVITED, ACCOUNT, ACCOUNTS, PROJECT, KEY, TOKEN],
    ...[EXPIRING, EXPIRY_DAYS, ROLLUP, NOTICES, MAILED],
  ],
  UpdateItem: [USER, USED, ACCOUNT, PROJECT, KEY, TOKEN, NOTICES],
  // Sessions, memberships, a person with identity; the remainder of a person who comes back; members; invitations; an
  // unseen key or token, whose secret a repeated creation replaces; endpoints; stops of mails.
  DeleteItem: [USER, USED, IDENTITY, ACCOUNT, INVITED, TOKEN, NOTICES, MAILED],
};

/**
 * Grants the portal's function exactly the permissions that it needs for the tables and the client secret. Of the usage
 * log it only reads a project's events.
 */
export function grantPortal(role: Role, { gateway, usage }: Tables, clientSecretArn: string): void {
  for (const [action, partitions] of Object.entries(IN_PARTITIONS)) {
    role.addToPolicy(inPartitions(gateway, [action], partitions));
  }
  role.addToPolicy(
    new PolicyStatement({ actions: ['dynamodb:Query', 'dynamodb:GetItem'], resources: [usage.tableArn] }),
  );
  role.addToPolicy(new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [clientSecretArn] }));
}
