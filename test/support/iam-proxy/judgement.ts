import { isAllowed, type Permission, type Policies } from '../iam.ts';
import type { CallerName } from './callers.ts';
import { Refusal, whoSigned, type Addressee, type ReceivedRequest } from './signature.ts';

/** Receives the permission that each signed call needs, the result, and the caller. */
export type OnCall = (permission: Permission, allowed: boolean, caller: CallerName) => void;

/** Throws {@link Refusal} for a call that AWS would refuse: its signature is wrong, or its caller is not allowed. */
export function judge(
  request: ReceivedRequest,
  addressee: Addressee,
  { needs, allowed, onCall }: { needs: () => readonly Permission[]; allowed: Policies; onCall?: OnCall | undefined },
): void {
  const caller = whoSigned(request, addressee).accessKeyId as CallerName;
  const policy = allowed[caller];
  if (policy === 'anything') return;
  for (const needed of needs()) {
    const isGranted = isAllowed(policy, needed);
    onCall?.(needed, isGranted, caller);
    if (isGranted) continue;
    const { action, resource = 'something else', leadingKeys } = needed;
    const on = [resource, ...leadingKeys].join(', ');
    throw new Refusal('AccessDeniedException', `${caller} is not authorized to perform: ${action} on: ${on}`);
  }
}
