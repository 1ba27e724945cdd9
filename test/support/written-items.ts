import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import type { ItemKey } from '../../functions/shared/store/items.ts';
import { readTogether } from '../../functions/shared/store/tables.ts';
import { inOrder } from './database.ts';

type Key = Readonly<Record<'pk' | 'sk', { readonly S: string }>>;
interface Write {
  readonly Key?: Key;
  readonly Item?: Key;
}
type Input = Write & {
  readonly TransactItems?: readonly { readonly Put?: Write; readonly Update?: Write; readonly Delete?: Write }[];
};

const MOST_READ_AT_ONCE = 100;

/** Reports each item that a client tries to write from now on, and the operation. */
export function onWrites(client: DynamoDBClient, tell: (key: ItemKey, operation: string) => void): void {
  client.middlewareStack.add(
    (next, context) => (args) => {
      const input = args.input as Input;
      const operation = (context.commandName ?? '').replace(/Command$/, '');
      const writes = input.TransactItems?.map(({ Put, Update, Delete }) => Put ?? Update ?? Delete) ?? [];
      if (/^(Put|Update|Delete)Item$/.test(operation)) writes.push(input);
      for (const write of writes) {
        const key = write?.Key ?? write?.Item;
        if (key) tell({ pk: key.pk.S, sk: key.sk.S }, operation);
      }
      return next(args);
    },
    { step: 'build' },
  );
}

/** Adds to a set every partition that a client tries to write to from now on. */
export const notePartitions = (client: DynamoDBClient, written: Set<string>): void => {
  onWrites(client, ({ pk }) => written.add(pk));
};

/** The items of the Gateway table that a client tries to write from now on, each once, by partition and sort key. */
export function triedWrites(client: DynamoDBClient): ReadonlyMap<string, ItemKey> {
  const tried = new Map<string, ItemKey>();
  onWrites(client, (key) => tried.set(`${key.pk} ${key.sk}`, key));
  return tried;
}

/** The current items as text, by name, without those that do not exist. */
export async function itemsAt(store: AccountStore, keys: readonly ItemKey[]): Promise<ReadonlyMap<string, string>> {
  const batches = Array.from({ length: Math.ceil(keys.length / MOST_READ_AT_ONCE) }, (_, i) =>
    readTogether(store, keys.slice(i * MOST_READ_AT_ONCE, (i + 1) * MOST_READ_AT_ONCE)),
  );
  const items = (await Promise.all(batches)).flat() as (ItemKey | undefined)[];
  return new Map(
    items.flatMap((item) =>
      item ? [[`${item.pk} ${item.sk}`, JSON.stringify(item, (_name, value) => inOrder(value))]] : [],
    ),
  );
}
