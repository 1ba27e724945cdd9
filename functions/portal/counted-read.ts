import type { ControlPlane } from '../accounts/control-plane.ts';
import { countRead } from '../accounts/request-rate.ts';
import { readProject } from '../accounts/stored-projects.ts';
import { beside, besideCheck } from '../store/beside.ts';
import type { PortalContext } from './environment.ts';
import { pathId } from './paths.ts';
import { planeOf, readAsMember, type AuthorityDependencies } from './session/authority.ts';

/**
 * Reads of the ledger for a member of the account in the path, which holds the project in the path, and counts that they
 * did. In two steps: authority beside the first, the count of reads beside the second.
 */
export async function readTwice<First, T>(
  c: PortalContext,
  dependencies: AuthorityDependencies,
  first: (plane: ControlPlane) => Promise<First>,
  second: (plane: ControlPlane, read: First) => Promise<T>,
): Promise<T> {
  const { person, membership, data } = await readAsMember(c, dependencies, pathId(c, 'accountId'), (plane) =>
    besideCheck(plane, readProject(plane, pathId(c, 'projectId')), first),
  );
  const plane = planeOf(c, dependencies, person.user, membership);
  const [, result] = await beside(countRead(plane), second(plane, data[1]));
  return result;
}

/**
 * The same with what comes behind the count of reads, not beside it: of much that is to be read, who reads too often makes
 * us read no more than the first.
 */
export const readCounted = <First>(
  c: PortalContext,
  dependencies: AuthorityDependencies,
  first: (plane: ControlPlane) => Promise<First>,
): Promise<{ readonly plane: ControlPlane; readonly begun: First }> =>
  readTwice(c, dependencies, first, (plane, begun) => Promise.resolve({ plane, begun }));
