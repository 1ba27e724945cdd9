/** How the notices function is called: shared with its stack and with the development server. Data only. */

/** A filter of an event source mapping: the kind of change, how the key begins, and what the new item has. */
export interface StreamFilter {
  readonly events: readonly ('INSERT' | 'MODIFY')[];
  readonly pk: string;
  readonly sk: readonly string[];
  /** An attribute that is true; absent: none need be. */
  readonly isTrue?: string;
}

/**
 * The changes of the Gateway table that the notices function gets, as two event source mappings. Changes by people come
 * at once; changes of counters come in larger batches.
 */
export const STREAM_FILTERS: Readonly<Record<'changes' | 'counters', readonly StreamFilter[]>> = {
  changes: [
    { events: ['INSERT'], pk: 'ACCOUNT#', sk: ['AUDIT#'] },
    { events: ['INSERT'], pk: 'NOTICES#', sk: ['MARK#', 'RETELL#', 'LEFT-KEYS#'] },
    // The message of a delivery that nobody requested is in the queue already.
    { events: ['INSERT'], pk: 'NOTICES#', sk: ['DELIVERY#'], isTrue: 'isAsked' },
  ],
  counters: [{ events: ['INSERT', 'MODIFY'], pk: 'PROJECT#', sk: ['QUOTA#', 'KEYUNITS#'] }],
};

/** How many messages are sent at once. SES takes 14 mails a second of a new account. */
export const MESSAGES_AT_ONCE = { mail: 2, webhook: 10, daily: 2 } as const;

/** The input of the notices function by its schedule, instead of a stream's records or a queue's messages. */
export const SCHEDULE_INPUT = { source: 'schedule' } as const;

/**
 * The function puts messages back into the queues that invoke it. Without this Lambda would stop the 17th invocation of
 * such a chain (AWS, "Use Lambda recursive loop detection"), which is the sixth attempt of a delivery. `sendAgain`
 * bounds the chain.
 */
export const RECURSIVE_LOOP: 'Allow' | 'Terminate' = 'Allow';
