import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { keyPageQuery, readKeys, type KeyPage, type KeyState } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Card, Row } from '../components/card.tsx';
import { Failure } from '../components/form.tsx';
import { Loaded } from '../components/loaded.tsx';
import { KeyList } from './key-list.tsx';
import type { NewKey } from './key-once-dialog.tsx';
import { useKnownKeys } from './use-known-keys.ts';
import css from './key-pages.module.css';

interface KeyPagesProps {
  readonly accountId: string;
  readonly projectId: string;
  readonly state: KeyState;
  /** A rotation made a key. */
  readonly onCreated: (key: NewKey) => void;
}

/** The keys of a project in a state, the newest or the one that ended last first, page by page. */
export function KeyPages({ accountId, projectId, state, onCreated }: KeyPagesProps) {
  const query = useQuery(keyPageQuery(accountId, projectId, state));
  const { keys: others } = useKnownKeys(accountId, projectId);
  // Of the first page as it was read then: further pages hang on it.
  const [further, setFurther] = useState<KeyPage & { readonly of: number }>();
  const known = further?.of === query.dataUpdatedAt ? further : undefined;
  const more = useAction(
    (cursor: string) => readKeys({ accountId, projectId }, state, { cursor }),
    ({ keys, cursor }) => setFurther({ keys: [...(known?.keys ?? []), ...keys], cursor, of: query.dataUpdatedAt }),
  );
  return (
    <Card isFlush>
      <Loaded query={query} what="the keys">
        {(first) => {
          const keys = [...first.keys, ...(known?.keys ?? [])];
          const { cursor } = known ?? first;
          if (state === 'active') keys.sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
          return (
            <>
              {keys.length > 0 && <KeyList {...{ accountId, projectId, keys, others, onCreated }} />}
              {(keys.length === 0 || cursor !== null) && (
                <div className={css.foot}>
                  {keys.length === 0 && <p>{WITHOUT[state]}</p>}
                  <Failure error={more.error} />
                  {cursor !== null && (
                    <Row>
                      <Button isPending={more.isPending} onPress={() => more.run(cursor)}>
                        More keys
                      </Button>
                    </Row>
                  )}
                </div>
              )}
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

const WITHOUT: Readonly<Record<KeyState, string>> = {
  active: 'No key of this project works any more. Create one.',
  ended: 'No key has ended in the last 90 days.',
};
