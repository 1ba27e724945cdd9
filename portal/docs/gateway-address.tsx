import { use } from 'react';
import { Note } from '../components/note.tsx';
import { signInAddress } from '../routes.ts';
import { SessionContext } from '../session.ts';
import type { ClientPackage } from '../gateway/packages.ts';
import { UNKNOWN_GATEWAY, UNKNOWN_PORTAL, type RegistryPackages } from './samples.ts';

/** Origin of the gateway, for code to copy. */
export const useGatewayUrl = (): string => use(SessionContext)?.gatewayUrl ?? UNKNOWN_GATEWAY;

/** The packages of registries, where the platform team has published there. */
export const useRegistryPackages = (): RegistryPackages =>
  use(SessionContext)?.clientPackages ?? { npm: null, pypi: null };

/** The sum of a package that this portal serves, to compare. */
export const Sum = ({ of: { file, sha256 } }: { readonly of: ClientPackage }) => (
  <p>
    The SHA-256 of <code>{file}</code> is <code>{sha256}</code>.
  </p>
);

/** A note that the text has a placeholder instead of the portal's address. A page of the portal gets no note. */
export const PortalNote = () =>
  location.origin === UNKNOWN_PORTAL && (
    <Note>
      <code>{UNKNOWN_PORTAL}</code> stands for the address of the portal from which you have this text.
    </Note>
  );

/** A note that the code has a placeholder instead of the gateway's address. A signed-in person gets no note. */
export const AddressNote = () =>
  use(SessionContext) === undefined && (
    <Note>
      <code>{UNKNOWN_GATEWAY}</code> stands for the address of the gateway.{' '}
      <a href={signInAddress(location)}>Sign in</a> to have the real one in the code.
    </Note>
  );
