import * as v from 'valibot';

/** The client libraries in registries; null: the portal serves that one itself. */
export interface ClientPackages {
  readonly npm: string | null;
  readonly pypi: string | null;
}

/** An example of the setting, for messages. */
export const CLIENT_PACKAGES_EXAMPLE = 'npm:@example/sandbox-gateway,pypi:example-sandbox-gateway';

/** Names as the registries allow them. They stand in commands that people copy, so nothing else may. */
const NPM = /^npm:((?=.{1,214}$)(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*)$/;
const PYPI = /^pypi:((?=.{1,100}$)[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)$/;

/** The packages in the setting, of at most one for each registry; undefined: it is not valid. */
export function clientPackagesIn(text: string): ClientPackages | undefined {
  const entries = text === '' ? [] : text.split(',');
  const namesOf = (registry: RegExp): string[] => entries.flatMap((entry) => registry.exec(entry)?.[1] ?? []);
  const [npm, pypi] = [namesOf(NPM), namesOf(PYPI)];
  if (npm.length > 1 || pypi.length > 1 || npm.length + pypi.length !== entries.length) return undefined;
  return { npm: npm[0] ?? null, pypi: pypi[0] ?? null };
}

/** The schema of the environment variable; absent: the portal serves both. */
export const ClientPackagesText = v.optional(
  v.pipe(
    v.string(),
    v.check((text) => clientPackagesIn(text) !== undefined, `must be like ${CLIENT_PACKAGES_EXAMPLE}.`),
  ),
);
