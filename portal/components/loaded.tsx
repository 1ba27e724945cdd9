import type { ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import { PortalError } from '../api/problem.ts';
import { Button } from './button.tsx';
import css from './loaded.module.css';
import { Note } from './note.tsx';

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>;
  /** What is being read: `the keys`. */
  readonly what: string;
  readonly children: (data: Data) => ReactNode;
}

/** What was read; says at once that it is under way, and what to do when it failed. What is there already stays. */
export function Loaded<Data>({ query, what, children }: LoadedProps<Data>) {
  const { data, error, isFetching, refetch } = query;
  const again = (
    <Button onPress={() => void refetch()} isPending={isFetching}>
      Try again
    </Button>
  );
  if (data === undefined && error === null) return <Waiting what={what} />;
  return (
    <>
      {error !== null && (
        <Note kind="bad" action={again} isAlert>
          <b>{data === undefined ? `Could not read ${what}.` : `These may be out of date: could not read ${what}.`}</b>{' '}
          {error.message}
          {error instanceof PortalError && error.requestId && (
            <>
              {' '}
              Request <code>{error.requestId}</code>
            </>
          )}
        </Note>
      )}
      {data !== undefined && children(data)}
    </>
  );
}

/** Says that something is being read. */
export const Waiting = ({ what }: { readonly what: string }) => (
  <p className={css.waiting} role="status">
    Reading {what} …
  </p>
);
