import type { PortalContext } from './environment.ts';

/** The form of ids, and for each kind one id that nobody has. */
const IDS = {
  accountId: [/^acc_[0-9A-Za-z]{16}$/, `acc_${'0'.repeat(16)}`],
  projectId: [/^[0-9A-Za-z]{12}$/, '0'.repeat(12)],
  keyId: [/^key_[0-9A-Za-z]{16}$/, `key_${'0'.repeat(16)}`],
  memberId: [/^mem_[0-9A-Za-z]{16}$/, `mem_${'0'.repeat(16)}`],
  endpointId: [/^ept_[0-9A-Za-z]{16}$/, `ept_${'0'.repeat(16)}`],
  deliveryId: [/^dlv_[0-9A-Za-z]{16}$/, `dlv_${'0'.repeat(16)}`],
  tokenId: [/^tok_[0-9A-Za-z]{16}$/, `tok_${'0'.repeat(16)}`],
  sessionId: [/^ses_[0-9A-Za-z]{16}$/, `ses_${'0'.repeat(16)}`],
  requestId: [/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, '00000000-0000-0000-0000-000000000000'],
} as const satisfies Record<string, readonly [RegExp, string]>;

/**
 * An id in the path of a request. An id of the wrong form is replaced by one that nobody has. So it is refused in the
 * usual order.
 */
export function pathId(c: PortalContext, name: keyof typeof IDS): string {
  const [form, nobodys] = IDS[name];
  const id = c.req.param(name) ?? '';
  return form.test(id) ? id : nobodys;
}
