import { use } from 'react';
import { Note } from '../components/note.tsx';
import { signInAddress } from '../routes.ts';
import { SessionContext } from '../session.ts';

/** Stands for the gateway's address where nobody is signed in who could be told; `openapi.yaml` has the same. */
const UNKNOWN = 'https://gateway.example';

/** Origin of the gateway, for code to copy. */
export const useGatewayUrl = (): string => use(SessionContext)?.gatewayUrl ?? UNKNOWN;

/** Says that the code does not have the real address yet; nothing to who is signed in. */
export const AddressNote = () =>
  use(SessionContext) === undefined && (
    <Note>
      <code>{UNKNOWN}</code> stands for the address of the gateway. <a href={signInAddress(location)}>Sign in</a> to
      have the real one in the code.
    </Note>
  );
