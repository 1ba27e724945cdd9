import { Fragment } from 'react';
import { Link } from 'wouter';
import type { ProjectIds } from '../api/queries.ts';
import type { Key } from '../api/schemas.ts';
import { Id } from '../components/id.tsx';
import { Note } from '../components/note.tsx';
import { useNow } from '../components/use-now.ts';
import { pages } from '../routes.ts';
import { counted } from '../text/format.ts';
import { budgetOf, sharersOf } from './cap.ts';
import { KeyName } from './key-name.tsx';
import { isActive } from './key-view.ts';

interface BudgetNoteProps extends ProjectIds {
  readonly of: Key;
  /** The active keys of the project. */
  readonly active: readonly Key[];
}

/** Whose budget a key spends from, and who else does. Nothing where it has none that is shared. */
export function BudgetNote({ accountId, projectId, of: key, active }: BudgetNoteProps) {
  const nowMs = useNow();
  const others = sharersOf(key, active, nowMs).filter(({ keyId }) => ![key.keyId, key.replacedBy].includes(keyId));
  if (!isActive(key, nowMs) || (others.length === 0 && key.capOf === null)) return null;
  const firstId = budgetOf(key);
  return (
    <Note>
      {others.length === 0 ? (
        'No other working key spends from its budget now.'
      ) : (
        <>
          It shares one budget with {counted(others.length, 'other key')}:{' '}
          {others.map((one, index) => (
            <Fragment key={one.keyId}>
              {index > 0 && ', '}
              <Link href={pages.key(accountId, projectId, one.keyId)}>
                <KeyName of={one} />
              </Link>
              {one.keyId === firstId && ' (the first)'}
            </Fragment>
          ))}
          . A change of the budget is for all of them, and 0 stops them all. When one ends, also the first, the others
          go on.
        </>
      )}{' '}
      {firstId === key.keyId && 'This is the first.'}
      {!active.some(({ keyId }) => keyId === firstId) && (
        <>
          The first, <Id of={firstId} what="key" />, has ended.
        </>
      )}
    </Note>
  );
}
