import type { CallerName } from './iam-proxy/callers.ts';
import { shared } from './shared/client.ts';
import { actionsOf, type Statement } from './stack.ts';

/** The resources of a stage that policies name, each with the pattern of its name. */
const RESOURCES = {
  stream: /streamarn/i,
  gateway: /tablesgateway/i,
  usage: /tablesusage/i,
  secret: /secret/i,
  stack: /:stack\//,
  queues: /(mails|webhooks|daily)queue/i,
} as const;
type Resource = keyof typeof RESOURCES;
/** Services whose calls are checked. Our code makes no calls for logs and traces. */
const JUDGED = /^(dynamodb|secretsmanager|cloudformation|sqs):/;

/** One permission that IAM checks of a call: it checks each part of a batch or transaction. */
export interface Permission {
  /** Undefined if it does not belong to a stage. */
  readonly resource: Resource | undefined;
  readonly action: string;
  /** The partition keys in the call. */
  readonly leadingKeys: readonly string[];
}

type Item = Readonly<Record<string, { readonly S: string }>>;
interface Part {
  readonly TableName: string;
  readonly Key?: Item;
  readonly Item?: Item;
}
/** IAM's names for the parts of a transaction (DynamoDB developer guide, "Using IAM with transactions"). */
const PART_ACTIONS = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
} as const;

/** The permissions that IAM checks for a call, given as it is sent. Throws for an unknown operation: add it here. */
export function permissionsOf(operation: string, input: object): Permission[] {
  switch (operation) {
    case 'GetItem':
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
      return [permission(operation, input as Part)];
    case 'Query':
      return [queried(input as Queried)];
    // It has no partition, so the caller needs permission for all partitions.
    case 'Scan':
      return [permission(operation, input as Part)];
    case 'BatchWriteItem': {
      const { RequestItems } = input as { RequestItems: Record<string, { DeleteRequest: { Key: Item } }[]> };
      return Object.entries(RequestItems).map(([name, requests]) => ({
        resource: tableOf(name),
        action: 'dynamodb:BatchWriteItem',
        leadingKeys: requests.map(({ DeleteRequest }) => DeleteRequest.Key.pk?.S ?? ''),
      }));
    }
    case 'BatchGetItem': {
      const { RequestItems } = input as { RequestItems: Record<string, { Keys: Item[] }> };
      return Object.entries(RequestItems).map(([name, { Keys }]) => ({
        resource: tableOf(name),
        action: 'dynamodb:BatchGetItem',
        leadingKeys: Keys.map(({ pk }) => pk?.S ?? ''),
      }));
    }
    case 'TransactGetItems':
    case 'TransactWriteItems': {
      const { TransactItems } = input as { TransactItems: Partial<Record<keyof typeof PART_ACTIONS, Part>>[] };
      return TransactItems.flatMap((item) => Object.entries(item)).map(([kind, part]) =>
        permission(PART_ACTIONS[kind as keyof typeof PART_ACTIONS], part),
      );
    }
    default:
      throw new Error(`What does IAM check of ${operation}?`);
  }
}

const permission = (action: string, { TableName, Key, Item }: Part): Permission => ({
  resource: tableOf(TableName),
  action: `dynamodb:${action}`,
  leadingKeys: [(Key ?? Item)?.pk?.S ?? ''],
});

/** A query has its partition in its condition, as a value. */
interface Queried {
  readonly TableName: string;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
}
function queried({ TableName, KeyConditionExpression = '', ...expression }: Queried): Permission {
  const [, name = '', value = ''] = /^(#?\w+) = (:\w+)/.exec(KeyConditionExpression) ?? [];
  const attribute = expression.ExpressionAttributeNames?.[name] ?? name;
  const key = expression.ExpressionAttributeValues?.[value]?.S;
  if (attribute !== 'pk' || key === undefined) throw new Error(`Which partition is ${KeyConditionExpression}?`);
  return { resource: tableOf(TableName), action: 'dynamodb:Query', leadingKeys: [key] };
}

/** For local tables and for the additional tables of tests. */
function tableOf(name: string): Resource | undefined {
  if (name.endsWith('Gateway')) return 'gateway';
  return name.endsWith('Usage') ? 'usage' : undefined;
}

/** A synthesised policy of a function, or of the CLI. */
export const policyOf = (name: 'metered' | 'portal' | 'notices' | 'daily' | 'cli' | 'restore'): Statement[] =>
  JSON.parse(process.env[`TEST_${name.toUpperCase()}_POLICY`] ?? '') as Statement[];

/** The permissions of each caller. */
export type Policies = Readonly<Record<CallerName, readonly Statement[] | 'anything'>>;

/** The policies of all callers. Synthesises them if the run has not done so. */
export async function policies(): Promise<Policies> {
  if (process.env.TEST_METERED_POLICY === undefined) Object.assign(process.env, await shared<object>('policies'));
  return {
    metered: policyOf('metered'),
    portal: policyOf('portal'),
    // Tests run both functions of the notices' code as one: `notices/permissions` tells them apart.
    notices: [...policyOf('notices'), ...policyOf('daily')],
    operator: policyOf('cli'),
    local: policyOf('cli'),
    test: 'anything',
  };
}

function resourceOf(statement: Statement): Resource | undefined {
  const text = JSON.stringify(statement.Resource);
  return (Object.keys(RESOURCES) as Resource[]).find((resource) => RESOURCES[resource].test(text));
}

/** The partition key patterns of a statement; undefined if it has no such condition. */
function partitionsOf({ Condition }: Statement): string[] | undefined {
  if (Condition === undefined) return undefined;
  const { 'ForAllValues:StringLike': like, Null: isNull, ...others } = Condition;
  const partitions = like?.['dynamodb:LeadingKeys'];
  if (partitions === undefined || isNull?.['dynamodb:LeadingKeys'] !== 'false' || Object.keys(others).length > 0) {
    throw new Error(`A condition that this test does not evaluate: ${JSON.stringify(Condition)}`);
  }
  return [partitions].flat();
}

/** Patterns end in `*` or contain none. */
const matches = (pattern: string, key: string): boolean =>
  pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern;

/** Whether a policy allows a call. */
export const isAllowed = (policy: readonly Statement[], { resource, action, leadingKeys }: Permission): boolean =>
  policy.some((statement) => {
    if (statement.Effect !== 'Allow') throw new Error('This test evaluates no Deny.');
    if (resource === undefined || resourceOf(statement) !== resource) return false;
    if (!actionsOf(statement).includes(action)) return false;
    const partitions = partitionsOf(statement);
    return partitions === undefined || leadingKeys.every((key) => partitions.some((pattern) => matches(pattern, key)));
  });

/** Each single permission in a policy, as text: resource, action, partition. */
export const grantsOf = (policy: readonly Statement[]): string[] =>
  policy.flatMap((statement) =>
    actionsOf(statement)
      .filter((action) => JUDGED.test(action))
      .flatMap((action) =>
        (partitionsOf(statement) ?? ['any']).map((partition) => `${resourceOf(statement)} ${action} ${partition}`),
      ),
  );

/** The grants of a policy that a call uses, in the form of {@link grantsOf}. */
export const usesOf = (policy: readonly Statement[], { resource, action, leadingKeys }: Permission): string[] =>
  grantsOf(policy).filter((grant) => {
    const [grantedResource, grantedAction, partition = ''] = grant.split(' ');
    if (grantedResource !== resource || grantedAction !== action) return false;
    return partition === 'any' || leadingKeys.some((key) => matches(partition, key));
  });
