import { use } from 'react';
import { CodeBlock } from '../components/code-block.tsx';
import { PYTHON_PACKAGE, TYPESCRIPT_PACKAGE, type ClientPackage } from '../gateway/packages.ts';
import { SessionContext } from '../session.ts';
import { installPython, installTypescript, type RegistryPackages } from './samples.ts';

/** The packages of registries, where the platform team has published there. */
export const useRegistryPackages = (): RegistryPackages =>
  use(SessionContext)?.clientPackages ?? { npm: null, pypi: null };

/** How the library for TypeScript is installed. */
export function InstallTypescript() {
  const packages = useRegistryPackages();
  return (
    <>
      <CodeBlock text={installTypescript(packages)} what="the command that installs the TypeScript library" />
      {packages.npm === null && <Sum of={TYPESCRIPT_PACKAGE} />}
    </>
  );
}

/** How the library for Python is installed. */
export function InstallPython() {
  const packages = useRegistryPackages();
  return (
    <>
      <CodeBlock text={installPython(packages)} what="the command that installs the Python library" />
      {packages.pypi === null && <Sum of={PYTHON_PACKAGE} />}
    </>
  );
}

/** The sum of a package that this portal serves, for who compares it. */
const Sum = ({ of: { file, sha256 } }: { readonly of: ClientPackage }) => (
  <details>
    <summary>Its SHA-256</summary>
    <p>
      That of <code>{file}</code> is <code>{sha256}</code>.
    </p>
  </details>
);
