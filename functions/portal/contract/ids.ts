import * as v from 'valibot';

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

/** A text of a form, in an answer. */
export const formed = (form: RegExp) => v.pipe(v.string(), v.regex(form));

export const AccountId = formed(FORMS.accountId);
export const ProjectId = formed(FORMS.projectId);
export const MemberId = formed(FORMS.memberId);
export const EndpointId = formed(FORMS.endpointId);
export const DeliveryId = formed(FORMS.deliveryId);
export const TokenId = formed(FORMS.tokenId);
export const SessionId = formed(FORMS.sessionId);
/** Of a request to the gateway, or of one to the portal. */
export const RequestId = formed(FORMS.requestId);
