import { useState } from 'react';
import { Link } from 'wouter';
import { useQuery } from '@tanstack/react-query';
import type { Project, ProjectIds } from '../api/queries.ts';
import type { Usage } from '../api/schemas.ts';
import { usageByKeyQuery } from '../api/usage-queries.ts';
import { Button } from '../components/button.tsx';
import { Card, Muted } from '../components/card.tsx';
import { Id } from '../components/id.tsx';
import { List } from '../components/list.tsx';
import { Loaded } from '../components/loaded.tsx';
import { KeyName } from '../keys/key-name.tsx';
import { useKnownKeys } from '../keys/use-known-keys.ts';
import { pages } from '../routes.ts';
import { formatCount } from '../text/format.ts';
import { PLAIN_VIEW, searchOf } from './address.ts';
import type { Range } from './ranges.ts';
import css from './units-by-key.module.css';
import { wordsOf } from './use-figures.ts';

/** Of a key, or of all that are not listed. */
type KeySum = Pick<Usage['total'], 'requests' | 'units'> & { readonly keyId: string | null };

/** The number of keys that are shown at first: as high as the figure beside them. */
const FIRST = 5;

interface UnitsByKeyProps {
  readonly ids: ProjectIds;
  readonly project: Project;
  readonly range: Range;
}

/** What each key was used for in the range, most units first. The units come to those of the project. */
export function UnitsByKey({ ids, project, range }: UnitsByKeyProps) {
  const { accountId, projectId } = ids;
  const { keys } = useKnownKeys(accountId, projectId);
  const query = useQuery(usageByKeyQuery(ids, range, project.period));
  const [isAll, setAll] = useState(false);
  const known = new Map(keys.map((key) => [key.keyId, key]));
  const { keys: sums = [], others } = query.data ?? {};
  const rows: KeySum[] = [...sums, ...(others && others.requests > 0 ? [{ ...others, keyId: null }] : [])];
  const most = Math.max(1, ...rows.map(({ units }) => units));
  return (
    <Card
      title="Units by key"
      isFlush={rows.length > 0}
      foot={
        rows.length > FIRST &&
        !isAll && (
          <Button kind="quiet" onPress={() => setAll(true)}>
            Show all
          </Button>
        )
      }
    >
      <Loaded query={query} what="the units by key">
        {() =>
          rows.length === 0 ? (
            <Muted>No key was used in {wordsOf(range)}.</Muted>
          ) : (
            <List
              label="Units by key"
              isSmall
              items={isAll ? rows : rows.slice(0, FIRST)}
              idOf={({ keyId }) => keyId ?? 'other'}
              columns={[
                {
                  heading: 'Key',
                  cell: ({ keyId, units }) => {
                    const key = known.get(keyId ?? '');
                    return (
                      <>
                        {key ? (
                          <Link href={pages.key(accountId, projectId, key.keyId)}>
                            <KeyName of={key} isCut />
                          </Link>
                        ) : keyId === null ? (
                          'Other keys'
                        ) : (
                          <Id of={keyId} what="key" shown={12} />
                        )}
                        <i className={css.bar} style={{ width: `${(units / most) * 100}%` }} />
                      </>
                    );
                  },
                },
                {
                  heading: 'Requests',
                  isNumber: true,
                  cell: ({ keyId, requests }) =>
                    keyId === null ? (
                      formatCount(requests)
                    ) : (
                      <Link href={pages.requests(accountId, projectId) + searchOf({ ...PLAIN_VIEW, range, keyId })}>
                        {formatCount(requests)}
                      </Link>
                    ),
                },
                { heading: 'Units', isNumber: true, cell: ({ units }) => formatCount(units) },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
