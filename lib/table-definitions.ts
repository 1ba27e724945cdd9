import { TABLE_ATTRIBUTES } from '../functions/shared/names.ts';

/** The definition of a table, for AWS and the local database. Both attributes of the key are strings. */
export interface TableDefinition {
  readonly partitionKey: string;
  readonly sortKey: string;
  readonly timeToLiveAttribute: string;
}

const definition: TableDefinition = {
  partitionKey: TABLE_ATTRIBUTES.partitionKey,
  sortKey: TABLE_ATTRIBUTES.sortKey,
  timeToLiveAttribute: TABLE_ATTRIBUTES.timeToLive,
};

/**
 * The two tables: `gateway` holds state, `usage` is the append-only log. This is their only definition: the stack
 * synthesises them, and the development server and the tests create them.
 */
export const TABLE_DEFINITIONS = { gateway: definition, usage: definition } as const;
