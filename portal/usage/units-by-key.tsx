import { useState } from 'react';
import { ArrowDownWideNarrow } from 'lucide-react';
import { Link } from 'wouter';
import { useQuery } from '@tanstack/react-query';
import type { Project, ProjectIds } from '../api/queries.ts';
import type { Key, Usage } from '../api/schemas.ts';
import { usageByKeyQuery } from '../api/usage-queries.ts';
import { Card } from '../components/card.tsx';
import { Id } from '../components/id.tsx';
import { List } from '../components/list.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Select } from '../components/select.tsx';
import { KeyName } from '../keys/key-name.tsx';
import { nameOf } from '../keys/key-view.ts';
import { pages } from '../routes.ts';
import { counted, formatCount } from '../text/format.ts';
import { RANGES, type Range } from './ranges.ts';

/** Of a key, or of all that are not listed. */
type KeySum = Pick<Usage['total'], 'requests' | 'units'> & { readonly keyId: string | null };
type Order = 'units' | 'requests' | 'name';

const ORDERS: readonly (readonly [order: Order, words: string])[] = [
  ['units', 'Most units'],
  ['requests', 'Most requests'],
  ['name', 'By name'],
];

interface UnitsByKeyProps {
  readonly ids: ProjectIds;
  readonly project: Project;
  readonly range: Range;
  readonly keys: readonly Key[];
}

/** What each key was used for in the range. The units come to those of the project. */
export function UnitsByKey({ ids, project, range, keys }: UnitsByKeyProps) {
  const query = useQuery(usageByKeyQuery(ids, range, project.period));
  const [order, setOrder] = useState<Order>('units');
  const known = new Map(keys.map((key) => [key.keyId, key]));
  const name = ({ keyId }: KeySum): string => {
    const key = known.get(keyId ?? '');
    return key ? nameOf(key) : (keyId ?? '');
  };
  const sorted = (sums: readonly KeySum[]): KeySum[] =>
    sums.toSorted((one, other) =>
      order === 'name' ? name(one).localeCompare(name(other)) : other[order] - one[order],
    );
  if (query.data?.keys?.length === 0) return null;
  const words = RANGES.find(([each]) => each === range)?.[2] ?? '';
  return (
    <Card
      title="Units by key"
      isFlush
      foot={<span>In {words}.</span>}
      action={
        <Select
          label="Order of the keys"
          value={order}
          options={ORDERS}
          plainIcon={ArrowDownWideNarrow}
          onChange={(chosen) => setOrder(ORDERS.find(([each]) => each === chosen)?.[0] ?? 'units')}
        />
      }
    >
      <Loaded query={query} what="the units by key">
        {({ keys: sums = [], others }) => (
          <List
            label="Units by key"
            items={[...sorted(sums), ...(others && others.requests > 0 ? [{ ...others, keyId: null }] : [])]}
            idOf={({ keyId }) => keyId ?? 'other'}
            columns={[
              {
                heading: 'Key',
                narrow: 'lead',
                cell: ({ keyId }) => {
                  const key = known.get(keyId ?? '');
                  if (key) {
                    return (
                      <Link href={pages.key(ids.accountId, ids.projectId, key.keyId)}>
                        <KeyName of={key} isCut />
                      </Link>
                    );
                  }
                  return keyId === null ? 'Other keys' : <Id of={keyId} what="key" shown={12} />;
                },
              },
              {
                heading: 'Requests',
                isNumber: true,
                narrow: 'second',
                cell: ({ requests }) => counted(requests, 'request'),
              },
              { heading: 'Units', isNumber: true, narrow: 'end', cell: ({ units }) => formatCount(units) },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}
