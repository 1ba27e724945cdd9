import { useState } from 'react';
import type { Key } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Muted } from '../components/card.tsx';
import { List } from '../components/list.tsx';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { useNow } from '../components/use-now.ts';
import type { NewKey } from './key-once-dialog.tsx';
import { isActive, nameOf, stateOf } from './key-view.ts';
import { RenameKey } from './rename-key.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';

interface KeyListProps {
  readonly accountId: string;
  readonly projectId: string;
  readonly keys: readonly Key[];
  /** Among which the successors of replaced ones are. */
  readonly others: readonly Key[];
  /** A rotation made a key. */
  readonly onCreated: (key: NewKey) => void;
}

/** The keys of a project, with what can be done with each. */
export function KeyList({ accountId, projectId, keys, others, onCreated }: KeyListProps) {
  const nowMs = useNow();
  const [asked, setAsked] = useState<{ readonly about: 'rotate' | 'revoke'; readonly key: Key }>();
  const close = (): void => setAsked(undefined);
  const shared = asked && { accountId, projectId, apiKey: asked.key, onClose: close };
  return (
    <>
      <List
        label="Keys"
        items={keys}
        idOf={({ keyId }) => keyId}
        columns={[
          { heading: 'Name', cell: (key) => <RenameKey {...{ accountId, projectId }} apiKey={key} /> },
          {
            heading: 'Key',
            isShort: true,
            cell: ({ mode, lastFour }) => (
              <code translate="no">
                {mode} …{lastFour}
              </code>
            ),
          },
          { heading: 'State', isShort: true, cell: (key) => <KeyState of={key} keys={others} nowMs={nowMs} /> },
          { heading: 'Created', isShort: true, cell: ({ createdAt }) => <Time of={createdAt} as="day" /> },
          {
            heading: 'Last used',
            cell: ({ lastUsed }) => (lastUsed === null ? <Muted>not yet</Muted> : <Time of={lastUsed} as="ago" />),
          },
          {
            heading: 'Expires',
            cell: ({ expiresAt }) => (expiresAt === null ? <Muted>never</Muted> : <Time of={expiresAt} as="minute" />),
          },
          {
            heading: 'Actions',
            isActions: true,
            cell: (key) =>
              isActive(key, nowMs) && (
                <>
                  {key.replacedBy === null && (
                    <Button
                      kind="quiet"
                      aria-label={`Rotate ${nameOf(key)}`}
                      onPress={() => setAsked({ about: 'rotate', key })}
                    >
                      Rotate
                    </Button>
                  )}
                  <Button
                    kind="quiet"
                    aria-label={`Revoke ${nameOf(key)}`}
                    onPress={() => setAsked({ about: 'revoke', key })}
                  >
                    Revoke
                  </Button>
                </>
              ),
          },
        ]}
      />
      {shared && asked.about === 'revoke' && <RevokeDialog {...shared} />}
      {shared && asked.about === 'rotate' && (
        <RotateDialog
          {...shared}
          predecessor={keys.find((key) => key.replacedBy === asked.key.keyId && isActive(key, nowMs))}
          onCreated={(created) => {
            close();
            onCreated(created);
          }}
        />
      )}
    </>
  );
}

interface KeyStateProps {
  readonly of: Key;
  /** Its successor is one of them. */
  readonly keys: readonly Key[];
  readonly nowMs: number;
}

function KeyState({ of: key, keys, nowMs }: KeyStateProps) {
  const [kind, words] = stateOf(key, nowMs);
  const successor = keys.find(({ keyId }) => keyId === key.replacedBy);
  return (
    <div>
      <State kind={kind}>{words}</State>
      {successor && (
        <div>
          <Muted>
            new key: <code translate="no">…{successor.lastFour}</code>
          </Muted>
        </div>
      )}
    </div>
  );
}
