import { ChartColumn, Copy } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import type { ProjectIds } from '../api/queries.ts';
import type { Key } from '../api/schemas.ts';
import { useToast } from '../components/announcer.tsx';
import { Muted, Below } from '../components/card.tsx';
import { copied } from '../components/copied.ts';
import { List } from '../components/list.tsx';
import type { MenuEntry, MenuGroup } from '../components/menu-list.tsx';
import { MenuButton } from '../components/menu.tsx';
import { Time } from '../components/time.tsx';
import { useNow } from '../components/use-now.ts';
import { pages } from '../routes.ts';
import { useMayChange } from '../session.ts';
import { actionsOn, type KeyAction } from './key-actions.ts';
import { KeyDialogs, useAskedKey } from './key-dialogs.tsx';
import css from './key-name.module.css';
import type { NewKey } from './key-once-dialog.tsx';
import { isActive, labelOf, stateOf } from './key-view.ts';
import { LastUsed } from './last-use.tsx';
import { State } from '../components/state.tsx';
import { LastFour } from './key-name.tsx';
import { Meter } from '../components/meter.tsx';
import { formatCount } from '../text/format.ts';

interface KeyListProps extends ProjectIds {
  readonly keys: readonly Key[];
  /** The keys, including the successors of replaced ones. */
  readonly others: readonly Key[];
  /** Called with the key that a rotation made. */
  readonly onCreated: (key: NewKey) => void;
}

/** The keys of a project, each with a menu of actions. */
export function KeyList({ keys, others, onCreated, ...ids }: KeyListProps) {
  const { accountId, projectId } = ids;
  const nowMs = useNow();
  const mayChange = useMayChange(accountId);
  const tell = useToast();
  const [, navigate] = useLocation();
  const [asked, setAsked] = useAskedKey(keys);
  const menuOf = (key: Key): MenuGroup[] => {
    const { change, stop } = mayChange ? actionsOn(key, nowMs) : { change: [], stop: [] };
    const entryOf = ({ about, words, icon, isDanger = false }: KeyAction): MenuEntry => ({
      id: about,
      words,
      icon,
      isDanger,
      onAction: () => setAsked({ about, key }),
    });
    const requests = pages.keyRequests(accountId, projectId, key.keyId);
    const entries = [
      ...change.map(entryOf),
      {
        id: 'copy',
        words: 'Copy the id',
        icon: Copy,
        onAction: () => void copied(key.keyId, 'the id of the key', tell),
      },
      { id: 'requests', words: 'Its requests', icon: ChartColumn, onAction: () => navigate(requests) },
    ];
    return [{ entries }, ...(stop.length === 0 ? [] : [{ entries: stop.map(entryOf) }])];
  };
  return (
    <>
      <List
        label="Keys"
        items={keys}
        idOf={({ keyId }) => keyId}
        isOver={(key) => !isActive(key, nowMs)}
        columns={[
          {
            heading: 'Name',
            narrow: 'lead',
            cell: ({ keyId, name, lastFour }) => (
              // A rotation keeps the name, so two links may show the same.
              <Link
                href={pages.key(accountId, projectId, keyId)}
                aria-label={labelOf({ name: name ?? 'no name', lastFour })}
              >
                {name === null ? <i>no name</i> : <bdi>{name}</bdi>}
              </Link>
            ),
          },
          {
            heading: 'Key',
            isShort: true,
            narrow: 'second',
            cell: ({ mode, lastFour }) => (
              <code translate="no">
                <span className={css.start}>svc_{mode}_</span>…{lastFour}
              </code>
            ),
          },
          {
            heading: 'State',
            isShort: true,
            narrow: 'end',
            cell: (key) => <SuccessionState of={key} keys={others} nowMs={nowMs} />,
          },
          ...(keys.some(({ unitsLimit }) => unitsLimit !== null)
            ? [{ heading: 'Cap', isShort: true, cell: (key: Key) => <CapMeter of={key} /> }]
            : []),
          {
            heading: 'Last used',
            isShort: true,
            narrow: 'secondEnd',
            cell: (key) => <LastUsed of={key} />,
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
            isExtra: true,
            cell: ({ expiresAt }) => (expiresAt === null ? <Muted>never</Muted> : <Time of={expiresAt} as="minute" />),
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

interface SuccessionStateProps {
  readonly of: Key;
  /** Its successor is one of them. */
  readonly keys: readonly Key[];
  readonly nowMs: number;
}

/** Whether a key works, for how long, and which one comes after it. */
function SuccessionState({ of: key, keys, nowMs }: SuccessionStateProps) {
  const [kind, words] = stateOf(key, nowMs);
  // In a narrow list the cap has no column.
  const isUsedUp = isActive(key, nowMs) && key.unitsLimit !== null && (key.unitsUsed ?? 0) >= key.unitsLimit;
  const successor = keys.find(({ keyId }) => keyId === key.replacedBy);
  return (
    <div>
      <State kind={kind}>{words}</State>
      {isUsedUp && <Below>cap used up</Below>}
      {successor && (
        <Below>
          new key: <LastFour of={successor.lastFour} />
        </Below>
      )}
    </div>
  );
}

/** The used part of a key's cap, in words and as a bar. */
function CapMeter({ of: { unitsLimit, unitsUsed } }: { readonly of: Key }) {
  if (unitsLimit === null) return <Muted>no cap</Muted>;
  const used = unitsUsed ?? 0;
  return (
    <div>
      {formatCount(used)} <Muted>of {formatCount(unitsLimit)}</Muted>
      <Meter label="Cap used" value={used} max={unitsLimit} words={`${used} of ${unitsLimit} units`} />
    </div>
  );
}
