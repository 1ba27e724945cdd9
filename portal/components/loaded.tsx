import type { ReactNode } from 'react';
import { Unseen } from './card.tsx';
import { RefreshCw, Unplug } from 'lucide-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { PortalError } from '../api/problem.ts';
import { Button } from './button.tsx';
import { Empty } from './empty.tsx';
import css from './loaded.module.css';
import { Note } from './note.tsx';

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>;
  /** The name of the data: `the keys`. */
  readonly what: string;
  /** What is there before the data, in their place. */
  readonly frame?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/** Shows read data, the state of loading, or a failure with the next step. Present data stays meanwhile. */
export function Loaded<Data>({ query, what, frame, children }: LoadedProps<Data>) {
  const { data, error, isFetching, refetch } = query;
  if (data === undefined && error === null) {
    if (frame === undefined) return <Waiting what={what} />;
    return (
      <>
        <Reading what={what} />
        {frame}
      </>
    );
  }
  const again = (
    <Button icon={RefreshCw} onPress={() => void refetch()} isPending={isFetching}>
      Try again
    </Button>
  );
  const id = error instanceof PortalError && error.requestId && (
    <>
      {' '}
      <span className={css.request}>
        Request <code>{error.requestId}</code>
      </span>
    </>
  );
  if (data === undefined) {
    return (
      <Empty icon={Unplug} title={`Could not read ${what}.`} action={again} isAlert>
        {error?.message}
        {id}
      </Empty>
    );
  }
  return (
    <>
      {error !== null && (
        <Note kind="bad" action={again} isAlert>
          <b>These may be out of date: could not read {what}.</b> {error.message}
          {id}
        </Note>
      )}
      {children(data)}
    </>
  );
}

/** Shows loading in the shape of the content. Nobody sees it when that is quick. */
export const Waiting = ({ what }: { readonly what: string }) => (
  <div className={css.waiting}>
    <Reading what={what} />
    <i className={css.bar} />
    <i className={css.bar} />
    <i className={css.bar} />
  </div>
);

const Reading = ({ what }: { readonly what: string }) => (
  <Unseen>
    <span role="status">Reading {what} …</span>
  </Unseen>
);
