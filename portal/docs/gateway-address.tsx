import { use } from 'react';
import { Note } from '../components/note.tsx';
import { signInAddress } from '../routes.ts';
import { SessionContext } from '../session.ts';
import { UNKNOWN_GATEWAY } from './samples.ts';

/** A note that the code has a placeholder instead of the gateway's address. A signed-in person gets no note. */
export const AddressNote = () =>
  use(SessionContext) === undefined && (
    <Note>
      <code>{UNKNOWN_GATEWAY}</code> stands for the address of the gateway.{' '}
      <a href={signInAddress(location)}>Sign in</a> to have the real one in the code.
    </Note>
  );
