import * as v from 'valibot';
import { FORMS } from './requests/forms.ts';

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
