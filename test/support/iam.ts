import { DynamoDBServiceException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LOCAL_TABLES } from '../../local/settings.ts';
import { actionsOf, type Statement } from './stack.ts';

/** One permission that IAM checks of a call: the parts of batches and transactions are checked one by one. */
export interface Permission {
  readonly table: 'gateway' | 'usage';
  readonly action: string;
  /** Partition keys that the call names. */
  readonly leadingKeys: readonly string[];
}

type Item = Readonly<Record<string, { readonly S: string }>>;
interface Part {
  readonly TableName: string;
  readonly Key?: Item;
  readonly Item?: Item;
}
/** What IAM calls the parts of a transaction (DynamoDB developer guide, "Using IAM with transactions"). */
const PART_ACTIONS = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
} as const;

/** What IAM checks of a call, given as it is sent. Throws for a kind of call that it does not know: teach it. */
function permissionsOf(operation: string, input: object): Permission[] {
  switch (operation) {
    case 'GetItem':
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
      return [permission(operation, input as Part)];
    case 'Query':
      return [queried(input as Queried)];
    // It names no partition: only who may read all of them may scan.
    case 'Scan':
      return [permission(operation, input as Part)];
    case 'BatchWriteItem': {
      const { RequestItems } = input as { RequestItems: Record<string, { DeleteRequest: { Key: Item } }[]> };
      return Object.entries(RequestItems).map(([name, requests]) => ({
        table: tableOf(name),
        action: 'dynamodb:BatchWriteItem',
        leadingKeys: requests.map(({ DeleteRequest }) => DeleteRequest.Key.pk?.S ?? ''),
      }));
    }
    case 'BatchGetItem': {
      const { RequestItems } = input as { RequestItems: Record<string, { Keys: Item[] }> };
      return Object.entries(RequestItems).map(([name, { Keys }]) => ({
        table: tableOf(name),
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
  table: tableOf(TableName),
  action: `dynamodb:${action}`,
  leadingKeys: [(Key ?? Item)?.pk?.S ?? ''],
});

/** A query names its partition in its condition, as a value. */
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
  return { table: tableOf(TableName), action: 'dynamodb:Query', leadingKeys: [key] };
}

function tableOf(name: string): Permission['table'] {
  if (name === LOCAL_TABLES.gateway) return 'gateway';
  if (name === LOCAL_TABLES.usage) return 'usage';
  throw new Error(`There is no table ${name} in the stack.`);
}

/** A function's policy, as synthesised. */
export const policyOf = (name: 'metered' | 'portal'): Statement[] =>
  JSON.parse(process.env[`TEST_${name.toUpperCase()}_POLICY`] ?? '') as Statement[];

const resourceTable = ({ Resource }: Statement): Permission['table'] | undefined =>
  (['gateway', 'usage'] as const).find((table) => JSON.stringify(Resource).toLowerCase().includes(`tables${table}`));

/** The patterns that a statement holds partition keys to; undefined: it holds them to none. */
function partitionsOf({ Condition }: Statement): string[] | undefined {
  if (Condition === undefined) return undefined;
  const { 'ForAllValues:StringLike': like, Null: isNull, ...others } = Condition;
  const partitions = like?.['dynamodb:LeadingKeys'];
  if (partitions === undefined || isNull?.['dynamodb:LeadingKeys'] !== 'false' || Object.keys(others).length > 0) {
    throw new Error(`A condition that this test does not evaluate: ${JSON.stringify(Condition)}`);
  }
  return [partitions].flat();
}

const matches = (pattern: string, key: string): boolean => key.startsWith(pattern.replace(/\*$/, ''));

/** Whether a policy allows a call. */
export const isAllowed = (policy: readonly Statement[], { table, action, leadingKeys }: Permission): boolean =>
  policy.some((statement) => {
    if (statement.Effect !== 'Allow') throw new Error('This test evaluates no Deny.');
    if (resourceTable(statement) !== table || !actionsOf(statement).includes(action)) return false;
    const partitions = partitionsOf(statement);
    return partitions === undefined || leadingKeys.every((key) => partitions.some((pattern) => matches(pattern, key)));
  });

/** Every single thing that a policy allows with the tables, as text: table, action, partition. */
export const grantsOf = (policy: readonly Statement[]): string[] =>
  policy.flatMap((statement) => {
    const table = resourceTable(statement);
    if (table === undefined && !actionsOf(statement).some((action) => action.startsWith('dynamodb:'))) return [];
    return actionsOf(statement).flatMap((action) =>
      (partitionsOf(statement) ?? ['any']).map((partition) => `${table} ${action} ${partition}`),
    );
  });

/** The grants of a policy that a call makes use of, in the words of {@link grantsOf}. */
export const usesOf = (policy: readonly Statement[], { table, action, leadingKeys }: Permission): string[] =>
  grantsOf(policy).filter((grant) => {
    const [grantedTable, grantedAction, partition = ''] = grant.split(' ');
    if (grantedTable !== table || grantedAction !== action) return false;
    return partition === 'any' || leadingKeys.some((key) => matches(partition, key));
  });

/**
 * Puts a client behind a function's policy, as IAM would: what the policy does not allow fails, and never reaches
 * the table. Tells what each call needed, and whether it got it.
 */
export function guard(
  client: DynamoDBClient,
  policy: readonly Statement[],
  onCall?: (permission: Permission, allowed: boolean) => void,
): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      for (const needed of permissionsOf((context.commandName ?? '').replace(/Command$/, ''), args.input)) {
        const allowed = isAllowed(policy, needed);
        onCall?.(needed, allowed);
        if (!allowed) throw accessDenied(needed);
      }
      return next(args);
    },
    { step: 'build', name: 'guard' },
  );
}

const accessDenied = ({ table, action, leadingKeys }: Permission): DynamoDBServiceException =>
  new DynamoDBServiceException({
    name: 'AccessDeniedException',
    $fault: 'client',
    $metadata: { httpStatusCode: 400 },
    message: `not authorized to perform ${action} on ${table} (${leadingKeys.join(', ')})`,
  });
