/** The form of each kind of id. */
export const FORMS = {
  accountId: /^acc_[0-9A-Za-z]{16}$/,
  projectId: /^[0-9A-Za-z]{12}$/,
  keyId: /^key_[0-9A-Za-z]{16}$/,
  memberId: /^mem_[0-9A-Za-z]{16}$/,
  endpointId: /^ept_[0-9A-Za-z]{16}$/,
  deliveryId: /^dlv_[0-9A-Za-z]{16}$/,
  tokenId: /^tok_[0-9A-Za-z]{16}$/,
  sessionId: /^ses_[0-9A-Za-z]{16}$/,
  requestId: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
} as const;
