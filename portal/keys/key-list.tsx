import { useState } from 'react';
import { Ban, ChartColumn, Copy, Pencil, RefreshCw } from 'lucide-react';
import { useLocation } from 'wouter';
import type { Key } from '../api/queries.ts';
import { Muted } from '../components/card.tsx';
import { List } from '../components/list.tsx';
import type { MenuGroup } from '../components/menu-list.tsx';
import { MenuButton } from '../components/menu.tsx';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { useCopy } from '../components/use-copy.ts';
import { useNow } from '../components/use-now.ts';
import { pages } from '../routes.ts';
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

/** The keys of a project, each with a menu of what can be done with it. */
export function KeyList({ accountId, projectId, keys, others, onCreated }: KeyListProps) {
  const nowMs = useNow();
  const copy = useCopy();
  const [, navigate] = useLocation();
  const [asked, setAsked] = useState<{ readonly about: 'rename' | 'rotate' | 'revoke'; readonly key: Key }>();
  const close = (): void => setAsked(undefined);
  const shared = asked && { accountId, projectId, apiKey: asked.key, onClose: close };
  const ask = (about: 'rename' | 'rotate' | 'revoke', key: Key) => () => setAsked({ about, key });
  const menuOf = (key: Key): MenuGroup[] => {
    const works = isActive(key, nowMs);
    const isRotatable = works && key.replacedBy === null;
    return [
      {
        entries: [
          { id: 'rename', words: 'Rename', icon: Pencil, onAction: ask('rename', key) },
          ...(isRotatable ? [{ id: 'rotate', words: 'Rotate …', icon: RefreshCw, onAction: ask('rotate', key) }] : []),
          { id: 'copy', words: 'Copy the id', icon: Copy, onAction: () => void copy(key.keyId, 'the id of the key') },
          {
            id: 'requests',
            words: 'Its requests',
            icon: ChartColumn,
            onAction: () => navigate(`${pages.usage(accountId, projectId)}?key=${key.keyId}`),
          },
        ],
      },
      ...(works
        ? [{ entries: [{ id: 'revoke', words: 'Revoke …', icon: Ban, isDanger: true, onAction: ask('revoke', key) }] }]
        : []),
    ];
  };
  return (
    <>
      <List
        label="Keys"
        items={keys}
        idOf={({ keyId }) => keyId}
        isOver={(key) => !isActive(key, nowMs)}
        columns={[
          { heading: 'Name', narrow: 'lead', cell: ({ name }) => (name === null ? <i>no name</i> : <bdi>{name}</bdi>) },
          {
            heading: 'Key',
            isShort: true,
            cell: ({ mode, lastFour }) => (
              <code translate="no">
                svc_{mode}_…{lastFour}
              </code>
            ),
          },
          {
            heading: 'State',
            isShort: true,
            narrow: 'end',
            cell: (key) => <KeyState of={key} keys={others} nowMs={nowMs} />,
          },
          {
            heading: 'Last used',
            narrow: 'second',
            cell: ({ lastUsed }) => (lastUsed === null ? <Muted>not yet</Muted> : <Time of={lastUsed} as="ago" />),
          },
          {
            heading: 'Created',
            isShort: true,
            isExtra: true,
            cell: ({ createdAt }) => <Time of={createdAt} as="day" />,
          },
          {
            heading: 'Expires',
            isShort: true,
            cell: ({ expiresAt }) => (expiresAt === null ? <Muted>never</Muted> : <Time of={expiresAt} as="minute" />),
          },
          {
            heading: 'Actions',
            isActions: true,
            cell: (key) => <MenuButton label={`Actions of ${nameOf(key)}`} groups={menuOf(key)} />,
          },
        ]}
      />
      {shared && asked.about === 'rename' && <RenameKey {...shared} />}
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
