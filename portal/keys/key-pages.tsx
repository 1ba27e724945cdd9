import { useState } from 'react';
import { KeyRound, ListFilter } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { keyPageQuery, readKeys, type KeyPage, type KeyState, type ProjectIds } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Empty } from '../components/empty.tsx';
import { Loaded } from '../components/loaded.tsx';
import { More } from '../components/more.tsx';
import { Segments } from '../components/segments.tsx';
import { pages } from '../routes.ts';
import { counted } from '../text/format.ts';
import { periodName } from '../text/quota.ts';
import { KeyList } from './key-list.tsx';
import type { NewKey } from './key-once-dialog.tsx';
import { keysNamed } from './key-view.ts';
import { useKeyUse } from './use-key-use.ts';
import { useKnownKeys } from './use-known-keys.ts';
import css from './key-pages.module.css';

/** From this many keys on, one is found by typing. */
const FILTERED_FROM = 8;

interface KeyPagesProps extends ProjectIds {
  readonly state: KeyState;
  /** The present period of the quota. */
  readonly period: string;
  /** Called with the key that a rotation made. */
  readonly onCreated: (key: NewKey) => void;
}

/** The keys of a project in a state, page by page: the newest first, or the one that ended last. */
export function KeyPages({ state, period, onCreated, ...ids }: KeyPagesProps) {
  const { accountId, projectId } = ids;
  const query = useQuery(keyPageQuery(accountId, projectId, state));
  const { keys: others } = useKnownKeys(accountId, projectId);
  const { latelyOf, isFailed } = useKeyUse(ids, period);
  // In no address: somebody may paste a key.
  const [typed, setTyped] = useState('');
  // The first page is read again by itself, and may end elsewhere then: the pages that followed it are dropped.
  const [further, setFurther] = useState<KeyPage & { readonly of: number }>();
  const known = further?.of === query.dataUpdatedAt ? further : undefined;
  const more = useAction(
    (cursor: string) => readKeys(ids, state, { cursor }),
    ({ keys, cursor }) => setFurther({ keys: [...(known?.keys ?? []), ...keys], cursor, of: query.dataUpdatedAt }),
  );
  const keys = [...(query.data?.keys ?? []), ...(known?.keys ?? [])];
  if (state === 'active') keys.sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  const shown = keysNamed(keys, typed);
  return (
    <Card
      title={titleOf(state, query.data)}
      action={
        <>
          {keys.length >= FILTERED_FROM && (
            <input
              type="search"
              className={css.filter}
              aria-label="Filter the keys"
              placeholder="Name or last characters"
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          )}
          <Segments
            label="State"
            value={state}
            segments={[
              ['active', 'Active', pages.keys(accountId, projectId)],
              ['ended', 'Ended', `${pages.keys(accountId, projectId)}?state=ended`],
            ]}
          />
        </>
      }
      foot={
        keys.length > 0 && (
          <>
            {isFailed
              ? 'Units or last answers could not be read. They are read again by themselves.'
              : `Units in ${periodName(period)}. Each bar is a day of the last seven, in UTC.`}
            {state === 'ended' && <span>Keys that ended stay here for 90 days.</span>}
          </>
        )
      }
      isFlush
    >
      <Loaded query={query} what="the keys">
        {(first) => {
          const { cursor } = known ?? first;
          return (
            <>
              {shown.length > 0 && (
                <KeyList {...ids} keys={shown} others={others} latelyOf={latelyOf} onCreated={onCreated} />
              )}
              {keys.length > 0 && shown.length === 0 && (
                <Empty
                  icon={ListFilter}
                  title="No key is called so."
                  action={<Button onPress={() => setTyped('')}>Show all keys</Button>}
                >
                  {cursor === null
                    ? `A part of a name, an id or the last characters of a key find it, if it is ${state}.`
                    : 'It may be among the keys that are not listed yet.'}
                </Empty>
              )}
              {(keys.length === 0 || cursor !== null) && (
                <div className={css.foot}>
                  {keys.length === 0 && (
                    <Empty icon={KeyRound} title={WITHOUT[state][0]}>
                      {WITHOUT[state][1]}
                    </Empty>
                  )}
                  <More action={more} cursor={cursor}>
                    More keys
                  </More>
                </div>
              )}
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

const WITHOUT: Readonly<Record<KeyState, readonly [title: string, text: string]>> = {
  active: ['No key of this project works any more.', 'A key lets your server call the gateway.'],
  ended: ['No key has ended in the last 90 days.', 'Keys that were revoked or have expired are shown here.'],
};

function titleOf(state: KeyState, page: KeyPage | undefined): string {
  if (state === 'ended') return 'Ended keys';
  if (!page || page.cursor !== null) return 'Active keys';
  // As the limit and the card of the project count: a replaced key and its successor are one.
  const replaced = page.keys.filter(({ replacedBy }) => page.keys.some(({ keyId }) => keyId === replacedBy)).length;
  return `${counted(page.keys.length - replaced, 'active key')}${replaced === 0 ? '' : `, ${replaced} replaced`}`;
}
