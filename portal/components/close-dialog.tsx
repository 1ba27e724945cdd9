import type { ReactNode } from 'react';
import type { Action } from '../api/use-action.ts';
import { TypedDialog } from './typed-dialog.tsx';

interface CloseDialogProps {
  /** The kind of object that is closed: `project`. */
  readonly what: string;
  /** Its name, which must be typed. */
  readonly name: string;
  readonly action: Action<undefined>;
  readonly onCancel: () => void;
  /** The consequences. */
  readonly children: ReactNode;
}

/** Asks for the name of an object that is about to end for good. */
export const CloseDialog = ({ what, name, ...props }: CloseDialogProps) => (
  <TypedDialog
    {...props}
    title={<>Close {<bdi>{name}</bdi>}?</>}
    expected={name}
    mistake={`This is not the name of the ${what}.`}
    word={`Close ${what}`}
  />
);
