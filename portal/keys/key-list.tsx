import { ChartColumn, Copy } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import type { ProjectIds } from '../api/queries.ts';
import type { Key } from '../api/schemas.ts';
import { useToast } from '../components/announcer.tsx';
import { copied } from '../components/copied.ts';
import { List } from '../components/list.tsx';
import type { MenuGroup } from '../components/menu-list.tsx';
import { MenuButton } from '../components/menu.tsx';
import { useNow } from '../components/use-now.ts';
import { pages } from '../routes.ts';
import { useMayChange } from '../session.ts';
import { budgetOf, sharersOf } from './cap.ts';
import { actionsOn, entriesOf } from './key-actions.ts';
import { KeyDialogs, useAskedKey, type AskedKey } from './key-dialogs.tsx';
import { Budget, End, LastAnswer, Units, Week } from './key-cells.tsx';
import { KeyName } from './key-name.tsx';
import type { NewKey } from './key-once-dialog.tsx';
import { isActive, labelOf } from './key-view.ts';
import type { KeyUse } from './use-key-use.ts';

interface KeyListProps extends ProjectIds {
  readonly keys: readonly Key[];
  /** The keys, including the successors of replaced ones. */
  readonly others: readonly Key[];
  readonly latelyOf: (keyId: string) => KeyUse;
  /** Called with the key that a rotation made. */
  readonly onCreated: (key: NewKey) => void;
}

/** The keys of a project, each with a menu of actions. */
export function KeyList({ keys, others, latelyOf, onCreated, ...ids }: KeyListProps) {
  const { accountId, projectId } = ids;
  const nowMs = useNow();
  const mayChange = useMayChange(accountId);
  const tell = useToast();
  const [, navigate] = useLocation();
  const [asked, setAsked] = useAskedKey(keys);
  const menuOf = (key: Key): MenuGroup[] => {
    const { change, stop } = mayChange ? actionsOn(key, nowMs) : { change: [], stop: [] };
    const ask = (about: AskedKey['about']): void => setAsked({ about, key });
    const requests = pages.keyRequests(accountId, projectId, key.keyId);
    const entries = [
      ...entriesOf(change, ask),
      {
        id: 'copy',
        words: 'Copy the id',
        icon: Copy,
        onAction: () => void copied(key.keyId, 'the id of the key', tell),
      },
      { id: 'requests', words: 'Its requests', icon: ChartColumn, onAction: () => navigate(requests) },
    ];
    return [{ entries }, ...(stop.length === 0 ? [] : [{ entries: entriesOf(stop, ask) }])];
  };
  const sharing = (key: Key): number => (isActive(key, nowMs) ? sharersOf(key, others, nowMs).length : 0);
  return (
    <>
      <List
        label="Keys"
        // The keys of a budget stand together.
        items={[...Map.groupBy(keys, budgetOf).values()].flat()}
        idOf={({ keyId }) => keyId}
        groupOf={(key) => (sharing(key) > 1 ? budgetOf(key) : undefined)}
        headOf={(key) => <Budget of={key} count={sharing(key)} nowMs={nowMs} />}
        isOver={(key) => !isActive(key, nowMs)}
        columns={[
          {
            heading: 'Name',
            narrow: 'lead',
            // A rotation keeps the name, so the last characters belong to it.
            cell: (key) => (
              <Link href={pages.key(accountId, projectId, key.keyId)}>
                <KeyName of={key} />
                {key.mode === 'live' && ' live'}
              </Link>
            ),
          },
          {
            heading: '7 days',
            isShort: true,
            isExtra: true,
            cell: ({ keyId }) => <Week of={latelyOf(keyId).week} />,
          },
          {
            heading: 'Units',
            isNumber: true,
            narrow: 'secondEnd',
            cell: (key) => <Units of={key} use={latelyOf(key.keyId)} isShared={sharing(key) > 1} nowMs={nowMs} />,
          },
          {
            heading: 'Last answer',
            narrow: 'second',
            cell: (key) => (
              <LastAnswer
                of={key}
                newest={latelyOf(key.keyId).newest}
                addressOf={(event) => pages.request(accountId, projectId, event)}
              />
            ),
          },
          {
            heading: 'Ends',
            isShort: true,
            narrow: 'end',
            cell: (key) => <End of={key} keys={others} nowMs={nowMs} />,
          },
          {
            heading: 'Actions',
            isActions: true,
            cell: (key) => <MenuButton label={`Actions of ${labelOf(key)}`} groups={menuOf(key)} />,
          },
        ]}
      />
      <KeyDialogs
        {...ids}
        asked={asked}
        onCreated={onCreated}
        predecessor={keys.find((key) => key.replacedBy === asked?.key.keyId && isActive(key, nowMs))}
        onClose={() => setAsked(undefined)}
      />
    </>
  );
}
