import { use } from 'react';
import { CodeBlock } from '../components/code-block.tsx';
import { SessionContext } from '../session.ts';
import { installPython, installTypescript, type RegistryPackages } from './samples.ts';

/** The packages of registries, where the platform team has published there. */
export const useRegistryPackages = (): RegistryPackages =>
  use(SessionContext)?.clientPackages ?? { npm: null, pypi: null };

/** How the library for TypeScript is installed. */
export const InstallTypescript = () => (
  <CodeBlock text={installTypescript(useRegistryPackages())} what="the command that installs the TypeScript library" />
);

/** How the library for Python is installed. */
export const InstallPython = () => (
  <CodeBlock text={installPython(useRegistryPackages())} what="the command that installs the Python library" />
);
