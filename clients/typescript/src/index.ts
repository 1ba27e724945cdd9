export type { PingResult } from './answer.ts';
export { SandboxGateway, type CallOptions } from './client.ts';
export {
  APIConnectionError,
  APITimeoutError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InternalServerError,
  PermissionDeniedError,
  QuotaExceededError,
  RateLimitError,
  SandboxGatewayError,
  type ClientErrorCode,
  type Code,
} from './errors.ts';
export type { Limit } from './limits.ts';
export type { SandboxGatewayOptions } from './settings.ts';
export type { ErrorCode, Ping, PingRequest, Simulation } from './types.ts';
