import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { isoTime, MS_PER_DAY, MS_PER_SECOND } from '../core/clock.ts';
import { callOptions, itemsFrom, names, writeItem } from '../store/items.ts';
import type { AccountStore } from './account-store.ts';
import { noticeItemKey } from './notice-items.ts';

/**
 * What became of the last mail to a member. `sent`. `limited`: a bound of the day is reached. `bounced`: the address
 * takes no mail, or its owner marked the mail as spam. `stopped`: the person wants no such mails. `refused`: the mail
 * was not taken.
 */
export type MailState = 'sent' | 'limited' | 'bounced' | 'stopped' | 'refused';

interface StoredMailState {
  readonly memberId: string;
  readonly noticeId: string;
  readonly state: MailState;
  readonly at: string;
}

/** How long it is kept. */
const KEPT_MS = 90 * MS_PER_DAY;

/** A mail to a member. */
export interface MailReference {
  readonly accountId: string;
  readonly memberId: string;
  readonly noticeId: string;
}

/** Stores what became of a mail. `sent` does not replace `bounced`, in whichever order they arrive. */
export async function noteMailState(
  store: AccountStore,
  { accountId, memberId, noticeId }: MailReference,
  state: MailState,
): Promise<void> {
  const nowMs = store.clock.now();
  const item: StoredMailState = { memberId, noticeId, state, at: isoTime(nowMs) };
  const put = new PutCommand({
    TableName: store.tables.gateway,
    Item: {
      ...noticeItemKey.mailState(accountId, memberId),
      ...item,
      ttl: Math.ceil((nowMs + KEPT_MS) / MS_PER_SECOND),
    },
    ...(state === 'sent' && {
      ConditionExpression: 'attribute_not_exists(#noticeId) OR #noticeId <> :noticeId OR #state <> :bounced',
      ExpressionAttributeNames: names('noticeId', 'state'),
      ExpressionAttributeValues: { ':noticeId': noticeId, ':bounced': 'bounced' satisfies MailState },
    }),
  });
  try {
    await writeItem(store, () => store.client.send(put, callOptions(store)));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

/**
 * What became of the last mail to each member of an account, in the order of their ids, including former members. The
 * next page is read when the iteration needs it.
 */
export async function* listMailStates(store: AccountStore, accountId: string): AsyncGenerator<StoredMailState> {
  for await (const item of itemsFrom(store, noticeItemKey.mailState(accountId, ''))) {
    const { memberId, noticeId, state, at } = item as unknown as StoredMailState;
    yield { memberId, noticeId, state, at };
  }
}

/** The same by member id. */
export async function readMailStates(store: AccountStore, accountId: string): Promise<Map<string, StoredMailState>> {
  const states = new Map<string, StoredMailState>();
  for await (const state of listMailStates(store, accountId)) states.set(state.memberId, state);
  return states;
}
